import Foundation

/// The marginal posterior of an angle about its circular mean, as a sum of boxes: one per cell, as wide as the cell.
struct CellMarginal {
  /// Offsets from the mean in (-pi, pi] and widths, radians, and weights, which sum to 1.
  private let boxes: [SIMD3<Double>]

  /// A marginal; widths are limited to pi, and the part of a box beyond +-pi is wrapped to the other side.
  init(_ input: [SIMD3<Double>]) {
    var boxes: [SIMD3<Double>] = []
    boxes.reserveCapacity(input.count + input.count / 8)
    for box in input {
      let width = min(max(box.y, 1e-12), .pi)
      let over = abs(box.x) + 0.5 * width - .pi
      if over > 0 {
        let (side, inside) = (box.x < 0 ? -1.0 : 1.0, width - over)
        boxes.append(SIMD3(side * (.pi - 0.5 * inside), inside, box.z * inside / width))
        boxes.append(SIMD3(-side * (.pi - 0.5 * over), over, box.z * over / width))
      } else {
        boxes.append(SIMD3(box.x, width, box.z))
      }
    }
    self.boxes = boxes
  }

  /// Probability below `offset` radians from the mean, 0...1.
  func probability(below offset: Double) -> Double {
    var probability = 0.0
    for box in boxes { probability += box.z * min(max((offset - box.x) / box.y + 0.5, 0), 1) }
    return probability
  }

  /// Probability more than `halfWidth` radians from the mean, 0...1.
  func probability(beyond halfWidth: Double) -> Double {
    probability(below: -halfWidth) + 1 - probability(below: halfWidth)
  }

  /// The quantile `p` of the offset from the mean, radians, to within 1e-6.
  ///
  /// Newton's method inside a shrinking bracket: a few passes over the boxes.
  func quantile(_ p: Double) -> Double {
    var (low, high) = (-Double.pi, Double.pi)
    var x = min(deviation, 1.9) * (p < 0.5 ? -1.6 : 1.6)
    for _ in 0..<60 {
      var (missing, density) = (p, 0.0)
      for box in boxes {
        let part = (x - box.x) / box.y + 0.5
        missing -= box.z * min(max(part, 0), 1)
        density += part > 0 && part < 1 ? box.z / box.y : 0
      }
      if missing > 0 { low = x } else { high = x }
      let newton = x + missing / density
      let next = newton > low && newton < high ? newton : 0.5 * (low + high)
      if abs(next - x) < 1e-6 { return next }
      x = next
    }
    return x
  }

  /// 1-sigma about the mean, radians.
  var deviation: Double { boxes.reduce(0) { $0 + $1.z * $1.x * $1.x }.squareRoot() }
}

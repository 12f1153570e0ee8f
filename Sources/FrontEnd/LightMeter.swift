import Images
import SensorData

/// Brightness, texture and sharpness of an image, from sums over it; stateless.
///
/// Texture is the square root of the smaller eigenvalue of the mean gradient matrix of 8x8 block means. Sharpness is
/// the same for pixels, over the texture. The noise contribution is subtracted from each.
/// Noise comes from second differences over 2x2 pixels, which cancel edges along rows and columns, at a low quantile,
/// which excludes most other edges.
package struct LightMeter {
  /// Mean brightness, 0 black ... 1 white.
  package let meanLuma: Double
  /// All other measures; coverage is 0.
  package let measures: ImageMeasures
  /// Standard deviation of the block means, grey levels.
  package let contrast: Double

  private static let block = 8
  private static let black: UInt8 = 8, white: UInt8 = 250

  /// Measures an image. One with fewer than two blocks in either direction has neither texture nor sharpness.
  package init(_ image: GrayImage) {
    let (width, height, block) = (image.width, image.height, Self.block)
    let (columns, rows) = (width / block, height / block)
    var means = [Float](repeating: 0, count: columns * rows)
    var sum = 0, dark = 0, saturated = 0, seen = 0
    var fine = GradientSum(), coarse = GradientSum()
    var seconds = [Int](repeating: 0, count: 1021)
    image.pixels.withUnsafeBufferPointer { pixels in
      for row in 0..<rows {
        for column in 0..<columns {
          let first = row * block * width + column * block
          var total = 0
          // Every other row: half the time, with nearly the same block mean.
          for y in stride(from: 0, to: block, by: 2) {
            let start = first + y * width
            for x in 0..<block {
              let value = pixels[start + x]
              total += Int(value)
              if value <= Self.black { dark += 1 } else if value >= Self.white { saturated += 1 }
            }
          }
          seen += block * block / 2
          sum += total
          means[row * columns + column] = Float(total) / Float(block * block / 2)
          for (x, y) in [(1, 1), (5, 3), (3, 5)] {
            let at = first + y * width + x
            let (a, b, c, d) = (
              Int(pixels[at]), Int(pixels[at + 1]), Int(pixels[at + width]), Int(pixels[at + width + 1])
            )
            fine.add(Float(b - a), Float(c - a))
            seconds[abs(a - b - c + d)] += 1
          }
        }
      }
    }
    for row in 0..<max(0, rows - 1) {
      for column in 0..<max(0, columns - 1) {
        let at = row * columns + column
        coarse.add(means[at + 1] - means[at], means[at + columns] - means[at])
      }
    }
    meanLuma = Double(sum) / (255 * Double(max(1, seen)))
    let mean = means.reduce(0, +) / Float(max(1, means.count))
    contrast = Double(means.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(max(1, means.count))).squareRoot()
    let variance = Self.variance(seconds)
    let texture = coarse.smaller(without: variance * 2 / Double(block * block)).squareRoot()
    let detail = fine.smaller(without: variance).squareRoot()
    measures = ImageMeasures(
      darkShare: Double(dark) / Double(max(1, seen)), saturatedShare: Double(saturated) / Double(max(1, seen)),
      texture: texture, sharpness: texture > 0 ? detail * Double(block) / texture : 0, noise: variance.squareRoot(),
      coverage: 0)
  }

  /// The variance of a pixel's noise from the histogram of absolute second differences: their lower quartile, which for
  /// normal noise of variance v is 0.3186 x 2 sqrt(v).
  private static func variance(_ counts: [Int]) -> Double {
    let quarter = Double(counts.reduce(0, +)) / 4
    var below = 0.0
    for (size, count) in counts.enumerated() where count > 0 {
      if below + Double(count) >= quarter {
        // Interpolated within the integer bin; a size of 0 stands for -1/2...1/2.
        let quartile =
          size == 0 ? 0.5 * (quarter / Double(count)) : Double(size) - 0.5 + (quarter - below) / Double(count)
        let sigma = quartile / (0.3186 * 2)
        return sigma * sigma
      }
      below += Double(count)
    }
    return 0
  }

  /// The mean of gradients' outer products.
  private struct GradientSum {
    var xx = 0.0, xy = 0.0, yy = 0.0, count = 0.0

    mutating func add(_ x: Float, _ y: Float) {
      xx += Double(x * x)
      xy += Double(x * y)
      yy += Double(y * y)
      count += 1
    }

    /// The smaller eigenvalue, without the contribution of pixel noise. The two differences share a pixel, so that is
    /// twice the variance on the diagonal and once off it.
    func smaller(without noise: Double) -> Double {
      guard count > 0 else { return 0 }
      let (a, b, c) = (xx / count - 2 * noise, xy / count - noise, yy / count - 2 * noise)
      let half = (a - c) / 2
      return max((a + c) / 2 - (half * half + b * b).squareRoot(), 0)
    }
  }
}

/// The part of the image that ever received light. It excludes the black border of a fisheye's image circle, whose edge
/// is no corner of the scene.
package struct LitArea {
  private let columns: Int
  private let rows: Int
  private var lit: [Bool]

  /// Side of a block, pixels, sampled at every fourth row and column; a brighter pixel marks the block as lit.
  private static let block = 8
  private static let black: UInt8 = 20

  /// Nothing lit yet, for images of this size.
  package init(width: Int, height: Int) {
    columns = (width + Self.block - 1) / Self.block
    rows = (height + Self.block - 1) / Self.block
    lit = [Bool](repeating: false, count: columns * rows)
  }

  /// Adds a frame.
  package mutating func add(_ image: GrayImage) {
    let columns = columns
    image.pixels.withUnsafeBufferPointer { pixels in
      lit.withUnsafeMutableBufferPointer { lit in
        for y in stride(from: 1, to: image.height, by: 4) {
          let row = y / Self.block * columns
          for x in stride(from: 1, to: image.width, by: 4) where pixels[y * image.width + x] > Self.black {
            lit[row + x / Self.block] = true
          }
        }
      }
    }
  }

  /// Whether all blocks around a position are lit.
  package func contains(_ position: SIMD2<Float>) -> Bool {
    let column = Int(position.x) / Self.block, row = Int(position.y) / Self.block
    for y in max(0, row - 1)...min(rows - 1, row + 1) {
      for x in max(0, column - 1)...min(columns - 1, column + 1) where !lit[y * columns + x] { return false }
    }
    return true
  }
}

/// Classifies what a camera sees, from one image's measures and its tracks.
package struct ViewClassifier {
  /// Mean brightness below which there is no light.
  static let darkLuma = 0.06
  /// Auto-exposure raises the brightness to about half; below this the lens is covered, unless there is structure.
  private static let dimLuma = 0.25
  /// Least structure, grey levels from block to block.
  private static let leastTexture = 0.6
  /// Sharpness below which the image is blurred; where the rotation alone smears it over that many pixels, the larger
  /// limit.
  private static let leastSharpness = 2.0, largeSmear = 3.7, leastSharpnessInSmear = 3.2
  /// Least number of tracks from the previous frame.
  private static let fewTracks = 20

  /// Whether a frame can contain corners at all, before tracking.
  static func mayHaveCorners(_ light: LightMeter) -> Bool {
    light.meanLuma >= darkLuma && !(light.measures.texture < leastTexture && light.meanLuma < dimLuma)
  }

  /// The view condition.
  ///
  /// - Parameters:
  ///   - followed: tracks continued from the previous frame.
  ///   - begun: tracks that began.
  ///   - smear: motion blur by rotation during the exposure, pixels; nil if unknown.
  package static func condition(
    _ light: LightMeter, followed: Int, begun: Int, isFirst: Bool, smear: Double?
  ) -> ViewCondition {
    if light.meanLuma < darkLuma { return .dark }
    if light.measures.texture < leastTexture { return light.meanLuma < dimLuma ? .covered : .blank }
    if followed + (isFirst ? begun : 0) >= fewTracks { return .clear }
    let least = (smear ?? 0) > largeSmear ? leastSharpnessInSmear : leastSharpness
    return light.measures.sharpness < least ? .blurred : followed + begun < fewTracks ? .blank : .clear
  }
}

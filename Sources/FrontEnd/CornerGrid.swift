import Images

/// Keeps tracks spread over the image: a grid whose empty cells are filled with their strongest corners.
struct CornerGrid {
  private let width: Int
  private let height: Int
  private let mask: GrayImage?
  private let features: Int
  private let spacing: Float
  private let weakest: [Float]
  private let horizons: [Int]
  private let columns: Int
  private let rows: Int

  /// Least distance to the edge of a track, and of a new track, pixels: nearer ones would soon leave.
  private static let border: Float = 0, birthBorder: Float = 12
  /// Candidate corners per cell.
  private static let choice = 8
  /// Below this fraction of the wanted tracks, cells that have a track get further ones.
  private static let scarce = 0.75
  /// From this fraction on, corners that will soon leave the image are not used.
  private static let enough = 0.95

  /// - Parameters:
  ///   - features: wanted tracks, one cell each.
  ///   - spacing: least distance of two tracks, pixels.
  ///   - weakest: least corner strengths, (grey levels/pixel)^2, in order of preference; later ones apply if tracks are
  ///     too few.
  ///   - horizons: frames for which a corner should stay in view, descending; the last one applies if others are
  ///     missing.
  init(width: Int, height: Int, mask: GrayImage?, features: Int, spacing: Double, weakest: [Float], horizons: [Int]) {
    (self.width, self.height, self.features) = (width, height, features)
    (self.spacing, self.weakest, self.horizons) = (Float(spacing), weakest, horizons)
    self.mask = mask.flatMap { $0.width == width && $0.height == height ? $0 : nil }
    let ratio = Double(width) / Double(height)
    columns = max(1, Int((Double(features) * ratio).squareRoot().rounded()))
    rows = max(1, Int((Double(features) / Double(columns)).rounded()))
  }

  /// Whether a track may lie at this position.
  func isInside(_ position: SIMD2<Float>) -> Bool {
    guard isInside(position, Self.border) else { return false }
    guard let mask else { return true }
    return mask.pixels[Int(position.y.rounded()) * width + Int(position.x.rounded())] > 127
  }

  /// Whether a track may begin at this position, or be recovered there.
  func mayBegin(_ position: SIMD2<Float>) -> Bool { isInside(position, Self.birthBorder) && isInside(position) }

  private func isInside(_ position: SIMD2<Float>, _ border: Float) -> Bool {
    all(position .>= border) && position.x <= Float(width - 1) - border && position.y <= Float(height - 1) - border
  }

  /// The tracks without those nearer than half the spacing to an older one; sorted by id.
  func thinned(_ tracks: [FeatureTracker.Track]) -> [FeatureTracker.Track] {
    var near = Neighbours(width: width, height: height, distance: spacing / 2)
    let kept = tracks.sorted { ($1.length, $0.id) < ($0.length, $1.id) }.filter { near.insert($0.position) }
    return kept.sorted { $0.id < $1.id }
  }

  /// Requirements on a corner and tracks per cell, in order: later passes run if earlier ones found too few. Cells
  /// whose corners stay in view longest come first.
  private var passes: [(weakest: Float, frames: Int, most: Int)] {
    weakest.flatMap { weakest in
      (1...3).flatMap { most in horizons.dropLast().map { (weakest, $0, most) } }
        + (1...3).map { (weakest, horizons[horizons.count - 1], $0) }
    }
  }

  /// New corners, so that every cell that has one has a track; more per cell where tracks are scarce.
  ///
  /// - Parameters:
  ///   - noise: of a pixel, 1-sigma, grey levels; a corner must exceed it.
  ///   - staysIn: predicted frames in view of a position, one of the horizons.
  func fresh(
    in image: PyramidImage, beside taken: [SIMD2<Float>], noise: Float, staysIn: (SIMD2<Float>) -> Int
  ) -> [SIMD2<Float>] {
    var near = Neighbours(width: width, height: height, distance: spacing)
    var counts = [Int](repeating: 0, count: columns * rows)
    for position in taken {
      near.add(position)
      counts[cell(of: position)] += 1
    }
    var fresh: [SIMD2<Float>] = []
    // Searched once per cell, with the weakest requirement.
    var corners = [[Candidate]?](repeating: nil, count: counts.count)
    let least = max(weakest.min() ?? 1, 3 * noise * noise)
    for (weakest, frames, most) in passes {
      if frames == horizons.last, Double(taken.count + fresh.count) >= Self.enough * Double(features) { continue }
      for cell in counts.indices where counts[cell] < most && taken.count + fresh.count < features {
        let found = corners[cell] ?? candidates(in: image, cell: cell, weakest: least, staysIn: staysIn)
        corners[cell] = found
        for corner in found
        where counts[cell] < most && corner.strength >= weakest && corner.frames >= frames
          && near.insert(corner.position)
        {
          fresh.append(corner.position)
          counts[cell] += 1
        }
      }
      if Double(taken.count + fresh.count) >= Self.scarce * Double(features) { break }
    }
    return fresh
  }

  /// A candidate for a new track.
  private struct Candidate {
    var position: SIMD2<Float>
    var strength: Float
    /// Predicted frames in view.
    var frames: Int
  }

  private func candidates(
    in image: PyramidImage, cell: Int, weakest: Float, staysIn: (SIMD2<Float>) -> Int
  ) -> [Candidate] {
    let (x, y) = (cell % columns, cell / columns)
    return image.corners(
      columns: x * width / columns..<(x + 1) * width / columns, rows: y * height / rows..<(y + 1) * height / rows,
      weakest: weakest, count: Self.choice
    ).filter { mayBegin($0.position) }.map {
      Candidate(position: $0.position, strength: $0.strength, frames: staysIn($0.position))
    }
  }

  /// Fraction of the cells that contain one of the positions.
  func coverage(_ positions: [SIMD2<Float>]) -> Double {
    Double(Set(positions.map { cell(of: $0) }).count) / Double(columns * rows)
  }

  private func cell(of position: SIMD2<Float>) -> Int {
    let x = min(max(Int(position.x) * columns / width, 0), columns - 1)
    let y = min(max(Int(position.y) * rows / height, 0), rows - 1)
    return y * columns + x
  }
}

/// Positions with a least mutual distance: buckets as wide as that, so neighbours are at most one bucket away.
private struct Neighbours {
  private let distance: Float
  private let columns: Int
  private let rows: Int
  private var buckets: [[SIMD2<Float>]]

  init(width: Int, height: Int, distance: Float) {
    self.distance = max(distance, 1)
    columns = Int(Float(width) / self.distance) + 1
    rows = Int(Float(height) / self.distance) + 1
    buckets = Array(repeating: [], count: columns * rows)
  }

  private func bucket(_ position: SIMD2<Float>) -> (x: Int, y: Int) {
    (
      min(max(Int(position.x / distance), 0), columns - 1), min(max(Int(position.y / distance), 0), rows - 1)
    )
  }

  mutating func add(_ position: SIMD2<Float>) {
    let (x, y) = bucket(position)
    buckets[y * columns + x].append(position)
  }

  /// Adds a position unless another one is too near.
  mutating func insert(_ position: SIMD2<Float>) -> Bool {
    let (x, y) = bucket(position)
    for row in max(0, y - 1)...min(rows - 1, y + 1) {
      for column in max(0, x - 1)...min(columns - 1, x + 1) {
        for other in buckets[row * columns + column] {
          let offset = position - other
          if (offset * offset).sum() < distance * distance { return false }
        }
      }
    }
    buckets[y * columns + x].append(position)
    return true
  }
}

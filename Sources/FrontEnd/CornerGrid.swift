import Images

/// Keeps tracks spread over the image: a grid whose empty cells are filled with the strongest corners in them.
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

  /// Nothing is followed nearer to the edge than this, and nothing begun nearer than that, pixels: it would soon be gone.
  private static let border: Float = 0, birthBorder: Float = 12
  /// Corners that are looked at in a cell.
  private static let choice = 8
  /// Cells that have a track already are looked at again below this share of the wanted tracks.
  private static let scarce = 0.75
  /// From this share on no corners are taken that will soon be gone.
  private static let enough = 0.95

  /// - Parameters:
  ///   - features: tracks aimed at, a cell for each.
  ///   - spacing: least distance of two tracks, pixels.
  ///   - weakest: of corners, (grey levels/pixel)^2; the later ones where the ones before leave too few tracks.
  ///   - horizons: frames for which a corner should stay in sight, falling; the last one is for want of others.
  init(width: Int, height: Int, mask: GrayImage?, features: Int, spacing: Double, weakest: [Float], horizons: [Int]) {
    (self.width, self.height, self.features) = (width, height, features)
    (self.spacing, self.weakest, self.horizons) = (Float(spacing), weakest, horizons)
    self.mask = mask.flatMap { $0.width == width && $0.height == height ? $0 : nil }
    let ratio = Double(width) / Double(height)
    columns = max(1, Int((Double(features) * ratio).squareRoot().rounded()))
    rows = max(1, Int((Double(features) / Double(columns)).rounded()))
  }

  /// Whether a track may be there.
  func isInside(_ place: SIMD2<Float>) -> Bool {
    guard isInside(place, Self.border) else { return false }
    guard let mask else { return true }
    return mask.pixels[Int(place.y.rounded()) * width + Int(place.x.rounded())] > 127
  }

  /// Whether a track may begin there, or come back.
  func mayBegin(_ place: SIMD2<Float>) -> Bool { isInside(place, Self.birthBorder) && isInside(place) }

  private func isInside(_ place: SIMD2<Float>, _ border: Float) -> Bool {
    all(place .>= border) && place.x <= Float(width - 1) - border && place.y <= Float(height - 1) - border
  }

  /// The tracks without those that came nearer than half the spacing to an older one; sorted by id.
  func thinned(_ tracks: [FeatureTracker.Track]) -> [FeatureTracker.Track] {
    var near = Neighbours(width: width, height: height, distance: spacing / 2)
    let kept = tracks.sorted { ($1.length, $0.id) < ($0.length, $1.id) }.filter { near.insert($0.place) }
    return kept.sorted { $0.id < $1.id }
  }

  /// What is asked of a corner, and how many a cell may then have; the later ones where too few were found before. Of the cells those
  /// come first whose corners will stay longest.
  private var passes: [(weakest: Float, frames: Int, most: Int)] {
    weakest.flatMap { weakest in
      (1...3).flatMap { most in horizons.dropLast().map { (weakest, $0, most) } }
        + (1...3).map { (weakest, horizons[horizons.count - 1], $0) }
    }
  }

  /// Corners to begin with, so that every cell that has some has a track; more in a cell where tracks are scarce.
  ///
  /// - Parameters:
  ///   - noise: of a pixel, 1-sigma, grey levels; a corner stands out of it.
  ///   - staysIn: for how many frames, of the horizons, a place will be in sight.
  func fresh(
    in image: PyramidImage, beside taken: [SIMD2<Float>], noise: Float, staysIn: (SIMD2<Float>) -> Int
  ) -> [SIMD2<Float>] {
    var near = Neighbours(width: width, height: height, distance: spacing)
    var counts = [Int](repeating: 0, count: columns * rows)
    for place in taken {
      near.add(place)
      counts[cell(of: place)] += 1
    }
    var fresh: [SIMD2<Float>] = []
    // Looked for once a cell, whatever is asked of them then.
    var corners = [[Candidate]?](repeating: nil, count: counts.count)
    let least = max(weakest.min() ?? 1, 3 * noise * noise)
    for (weakest, frames, most) in passes {
      if frames == horizons.last, Double(taken.count + fresh.count) >= Self.enough * Double(features) { continue }
      for cell in counts.indices where counts[cell] < most && taken.count + fresh.count < features {
        let found = corners[cell] ?? candidates(in: image, cell: cell, weakest: least, staysIn: staysIn)
        corners[cell] = found
        for corner in found
        where counts[cell] < most && corner.strength >= weakest && corner.frames >= frames && near.insert(corner.place)
        {
          fresh.append(corner.place)
          counts[cell] += 1
        }
      }
      if Double(taken.count + fresh.count) >= Self.scarce * Double(features) { break }
    }
    return fresh
  }

  /// A corner that a track may begin with.
  private struct Candidate {
    var place: SIMD2<Float>
    var strength: Float
    /// Frames for which it will stay in sight.
    var frames: Int
  }

  private func candidates(
    in image: PyramidImage, cell: Int, weakest: Float, staysIn: (SIMD2<Float>) -> Int
  ) -> [Candidate] {
    let (x, y) = (cell % columns, cell / columns)
    return image.corners(
      columns: x * width / columns..<(x + 1) * width / columns, rows: y * height / rows..<(y + 1) * height / rows,
      weakest: weakest, count: Self.choice
    ).filter { mayBegin($0.place) }.map {
      Candidate(place: $0.place, strength: $0.strength, frames: staysIn($0.place))
    }
  }

  /// Share of the cells that hold one of some places.
  func coverage(_ places: [SIMD2<Float>]) -> Double {
    Double(Set(places.map { cell(of: $0) }).count) / Double(columns * rows)
  }

  private func cell(of place: SIMD2<Float>) -> Int {
    let x = min(max(Int(place.x) * columns / width, 0), columns - 1)
    let y = min(max(Int(place.y) * rows / height, 0), rows - 1)
    return y * columns + x
  }
}

/// Places with a least distance to each other: buckets as wide as the distance, so that neighbours are in the next bucket at most.
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

  private func bucket(_ place: SIMD2<Float>) -> (x: Int, y: Int) {
    (
      min(max(Int(place.x / distance), 0), columns - 1), min(max(Int(place.y / distance), 0), rows - 1)
    )
  }

  mutating func add(_ place: SIMD2<Float>) {
    let (x, y) = bucket(place)
    buckets[y * columns + x].append(place)
  }

  /// Adds a place unless another one is too near.
  mutating func insert(_ place: SIMD2<Float>) -> Bool {
    let (x, y) = bucket(place)
    for row in max(0, y - 1)...min(rows - 1, y + 1) {
      for column in max(0, x - 1)...min(columns - 1, x + 1) {
        for other in buckets[row * columns + column] {
          let offset = place - other
          if (offset * offset).sum() < distance * distance { return false }
        }
      }
    }
    buckets[y * columns + x].append(place)
    return true
  }
}

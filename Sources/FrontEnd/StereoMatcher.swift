import Geometry
import SensorData
import CameraGeometry

/// Finds the tracks of one camera in another one that saw the same moment.
///
/// A patch is looked for where the last distance of its point puts it, as the other lens shows it; what is not there is searched
/// for. A match lies on its epipolar line, before both cameras, and leads back.
struct StereoMatcher {
  /// Columns and rows that hold the images of both cameras.
  let width: Int, height: Int
  private let lenses: (first: LensModel, second: LensModel)
  private let limit: SIMD2<Float>
  private let secondFromFirst: Pose
  private let tolerance: Double
  private let configuration: TrackingConfiguration
  private var inverseDistances: [Int64: Double] = [:]

  /// What is expected of a point that was never matched, 1/m.
  private static let usual = 0.3
  /// Nearest points, 1/m, and how far beyond infinity noise may put one.
  private static let bounds = -0.05...10.0

  /// For two cameras of one device.
  init(_ first: CameraCalibration, _ second: CameraCalibration, configuration: TrackingConfiguration) {
    (width, height) = (max(first.width, second.width), max(first.height, second.height))
    limit = SIMD2(Float(second.width - 1), Float(second.height - 1))
    lenses = (LensModel(first), LensModel(second))
    secondFromFirst = second.bodyFromCamera.inverse * first.bodyFromCamera
    tolerance = configuration.epipolarDistance / lenses.second.focalLength
    self.configuration = configuration
  }

  /// The tracks that the second camera sees too, in their order, with their places there. Both images are as large as the matcher.
  mutating func match(
    _ tracks: [FeatureTracker.Track], _ patches: PatchStore, from first: PyramidImage, to second: PyramidImage
  ) -> [(id: Int64, place: SIMD2<Float>)] {
    let guesses = tracks.map { guess($0) }
    let seen = tracks.indices.filter { guesses[$0] != nil }
    var places = [SIMD2<Float>?](repeating: nil, count: tracks.count)
    let known = seen.filter { inverseDistances[tracks[$0].id] != nil }
    recognise(known, tracks, guesses, patches, in: second, reach: configuration.largestSurprise, &places)
    search(seen.filter { places[$0] == nil }, tracks, guesses, patches, from: first, to: second, &places)
    var distances: [Int64: Double] = [:]
    var matches: [(id: Int64, place: SIMD2<Float>)] = []
    for index in seen {
      guard let place = places[index], all(place .>= 0), all(place .<= limit),
        let ray = lenses.first.direction(of: tracks[index].place), let sight = lenses.second.direction(of: place),
        let inverse = inverseDistance(secondFromFirst.rotation * ray, sight)
      else { continue }
      distances[tracks[index].id] = inverse
      matches.append((tracks[index].id, place))
    }
    inverseDistances = distances
    return matches
  }

  /// How a patch should lie in the second camera; nil where that does not see it.
  private func guess(_ track: FeatureTracker.Track) -> PatchWarp? {
    let inverse = inverseDistances[track.id] ?? Self.usual
    return track.warp.carried { place in
      guard let ray = lenses.first.direction(of: place) else { return nil }
      return lenses.second.project(secondFromFirst.rotation * ray + inverse * secondFromFirst.translation).map {
        SIMD2<Float>($0.pixel)
      }
    }
  }

  /// Puts places where patches lie, at most `reach` pixels from where they were expected.
  private func recognise(
    _ expected: [Int], _ tracks: [FeatureTracker.Track], _ guesses: [PatchWarp?], _ patches: PatchStore,
    in second: PyramidImage, reach: Float, _ places: inout [SIMD2<Float>?]
  ) {
    let (warps, correlations) = patches.align(
      expected.map { tracks[$0].slot }, in: second, guesses: expected.map { guesses[$0]! })
    for (k, index) in expected.enumerated() where correlations[k] >= configuration.leastCorrelation {
      let offset = warps[k].place - guesses[index]!.place
      if (offset * offset).sum() <= reach * reach { places[index] = warps[k].place }
    }
  }

  private func search(
    _ missing: [Int], _ tracks: [FeatureTracker.Track], _ guesses: [PatchWarp?], _ patches: PatchStore,
    from first: PyramidImage, to second: PyramidImage, _ places: inout [SIMD2<Float>?]
  ) {
    let homes = missing.map { tracks[$0].place }
    let found = first.follow(
      homes, to: second, guesses: missing.map { guesses[$0]!.place }, levels: configuration.levels)
    var flowing = guesses
    for (k, index) in missing.enumerated() {
      places[index] = found[k]
      if let place = found[k] { flowing[index]!.place = place }
    }
    recognise(
      missing.filter { places[$0] != nil }, tracks, flowing, patches, in: second,
      reach: configuration.largestCorrection, &places)
    let back = second.follow(missing.map { places[$0] ?? guesses[$0]!.place }, to: first, guesses: homes, levels: 1)
    for (k, index) in missing.enumerated() {
      // The patch and the way back disagree by what the second view foreshortens.
      let offset = back[k].map { $0 - homes[k] } ?? SIMD2(repeating: .infinity)
      if (offset * offset).sum() > 1 { places[index] = nil }
    }
  }

  /// The inverse distance at which both rays meet best, 1/m; nil off the epipolar line, or behind.
  private func inverseDistance(_ ray: Vector3, _ sight: Vector3) -> Double? {
    let way = secondFromFirst.translation
    let normal = way.cross(ray)
    guard normal.norm > 0, abs(normal.dot(sight)) <= tolerance * normal.norm else { return nil }
    let across = sight.cross(way)
    guard across.squaredNorm > 0 else { return nil }
    let inverse = -sight.cross(ray).dot(across) / across.squaredNorm
    return Self.bounds.contains(inverse) ? inverse : nil
  }
}

import Geometry
import SensorData
import Vision

/// Finds the tracks of one camera in another one that saw the same moment.
///
/// Each search begins where the last distance of the point puts it. A match lies on its epipolar line, before both cameras, and
/// leads back.
struct StereoMatcher {
  private let lenses: (first: LensModel, second: LensModel)
  private let secondFromFirst: Pose
  private let tolerance: Double
  private let configuration: TrackingConfiguration
  private var inverseDistances: [Int64: Double] = [:]

  /// What is expected of a point that was never matched, 1/m.
  private static let usual = 0.3
  /// Nearest points, 1/m, and how far beyond infinity noise may put one.
  private static let bounds = -0.05...10.0

  /// For two cameras of one device; nil when their images differ in size.
  init?(_ first: CameraCalibration, _ second: CameraCalibration, configuration: TrackingConfiguration) {
    guard first.width == second.width, first.height == second.height else { return nil }
    lenses = (LensModel(first), LensModel(second))
    secondFromFirst = second.bodyFromCamera.inverse * first.bodyFromCamera
    tolerance = configuration.epipolarDistance / lenses.second.focalLength
    self.configuration = configuration
  }

  /// The tracks that the second camera sees too, in their order, with their places there.
  mutating func match(
    _ tracks: [FeatureTracker.Track], _ patches: PatchStore, from first: PyramidImage, to second: PyramidImage
  ) -> [(id: Int64, place: SIMD2<Float>)] {
    let rays = tracks.map { lenses.first.direction(of: $0.place).map { secondFromFirst.rotation * $0 } }
    let seen = tracks.indices.filter { rays[$0] != nil }
    let guesses = seen.map { index -> SIMD2<Float> in
      let inverse = inverseDistances[tracks[index].id] ?? Self.usual
      let point = rays[index]! + inverse * secondFromFirst.translation
      return lenses.second.project(point).map { SIMD2<Float>($0.pixel) } ?? tracks[index].place
    }
    let found = first.follow(seen.map { tracks[$0].place }, to: second, guesses: guesses, levels: configuration.levels)
    let places = refined(seen.map { tracks[$0] }, found, patches, in: second)
    let back = second.follow(
      zip(places, guesses).map { $0 ?? $1 }, to: first, guesses: seen.map { tracks[$0].place }, levels: 1)
    var known: [Int64: Double] = [:]
    var matches: [(id: Int64, place: SIMD2<Float>)] = []
    for (k, index) in seen.enumerated() {
      guard let place = places[k], let home = back[k], let sight = lenses.second.direction(of: place) else { continue }
      let offset = home - tracks[index].place
      // The patch and the way back disagree by what the second view foreshortens.
      guard (offset * offset).sum() <= 1, let inverse = inverseDistance(rays[index]!, sight) else { continue }
      known[tracks[index].id] = inverse
      matches.append((tracks[index].id, place))
    }
    inverseDistances = known
    return matches
  }

  /// Places in the second camera, put where the tracks' own patches lie there.
  private func refined(
    _ tracks: [FeatureTracker.Track], _ found: [SIMD2<Float>?], _ patches: PatchStore, in second: PyramidImage
  ) -> [SIMD2<Float>?] {
    let known = tracks.indices.filter { tracks[$0].slot != nil && found[$0] != nil }
    let guesses = known.map { index in
      var warp = tracks[index].warp
      warp.place = found[index]!
      return warp
    }
    let (warps, correlations) = patches.align(known.map { tracks[$0].slot! }, in: second, guesses: guesses)
    var places = found
    for (k, index) in known.enumerated() where correlations[k] >= configuration.leastCorrelation {
      let offset = warps[k].place - found[index]!
      if (offset * offset).sum() <= configuration.largestCorrection * configuration.largestCorrection {
        places[index] = warps[k].place
      }
    }
    return places
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

import CameraGeometry
import Geometry
import SensorData

/// Matches the tracks of one camera in another one of the same moment.
///
/// A patch is compared at the position predicted from its last distance, warped into the other lens; those not found
/// are searched for. A match lies on its epipolar line, in front of both cameras, and passes the backward check.
struct StereoMatcher {
  /// Width and height that contain the images of both cameras.
  let width: Int, height: Int
  private let lenses: (first: LensModel, second: LensModel)
  private let limit: SIMD2<Float>
  private let secondFromFirst: Pose
  private let tolerance: Double
  private let configuration: TrackingConfiguration
  private var inverseDistances: [Int64: Double] = [:]

  /// Inverse distance assumed for a point never matched, 1/m.
  private static let defaultInverseDistance = 0.3
  /// Bounds of the inverse distance, 1/m; noise may place a point slightly beyond infinity.
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

  /// The tracks found in the second camera, in their order, with their positions there. Both images have the matcher's
  /// size.
  mutating func match(
    _ tracks: [FeatureTracker.Track], _ patches: PatchStore, from first: PyramidImage, to second: PyramidImage
  ) -> [(id: Int64, position: SIMD2<Float>)] {
    let guesses = tracks.map { guess($0) }
    let seen = tracks.indices.filter { guesses[$0] != nil }
    var positions = [SIMD2<Float>?](repeating: nil, count: tracks.count)
    let known = seen.filter { inverseDistances[tracks[$0].id] != nil }
    recognise(known, tracks, guesses, patches, in: second, reach: configuration.largestPredictionError, &positions)
    search(seen.filter { positions[$0] == nil }, tracks, guesses, patches, from: first, to: second, &positions)
    var distances: [Int64: Double] = [:]
    var matches: [(id: Int64, position: SIMD2<Float>)] = []
    for index in seen {
      guard let position = positions[index], all(position .>= 0), all(position .<= limit),
        let ray = lenses.first.direction(of: tracks[index].position),
        let secondRay = lenses.second.direction(of: position),
        let inverse = inverseDistance(secondFromFirst.rotation * ray, secondRay)
      else { continue }
      distances[tracks[index].id] = inverse
      matches.append((tracks[index].id, position))
    }
    inverseDistances = distances
    return matches
  }

  /// The predicted patch in the second camera; nil where it is not visible.
  private func guess(_ track: FeatureTracker.Track) -> PatchWarp? {
    let inverse = inverseDistances[track.id] ?? Self.defaultInverseDistance
    return track.warp.carried { position in
      guard let ray = lenses.first.direction(of: position) else { return nil }
      return lenses.second.project(secondFromFirst.rotation * ray + inverse * secondFromFirst.translation).map {
        SIMD2<Float>($0.pixel)
      }
    }
  }

  /// Aligns positions with patches, at most `reach` pixels from the prediction.
  private func recognise(
    _ expected: [Int], _ tracks: [FeatureTracker.Track], _ guesses: [PatchWarp?], _ patches: PatchStore,
    in second: PyramidImage, reach: Float, _ positions: inout [SIMD2<Float>?]
  ) {
    let (warps, correlations) = patches.align(
      expected.map { tracks[$0].slot }, in: second, guesses: expected.map { guesses[$0]! })
    for (k, index) in expected.enumerated() where correlations[k] >= configuration.leastCorrelation {
      let offset = warps[k].position - guesses[index]!.position
      if (offset * offset).sum() <= reach * reach { positions[index] = warps[k].position }
    }
  }

  private func search(
    _ missing: [Int], _ tracks: [FeatureTracker.Track], _ guesses: [PatchWarp?], _ patches: PatchStore,
    from first: PyramidImage, to second: PyramidImage, _ positions: inout [SIMD2<Float>?]
  ) {
    let homes = missing.map { tracks[$0].position }
    let found = first.track(
      homes, to: second, guesses: missing.map { guesses[$0]!.position }, levels: configuration.levels)
    var flowing = guesses
    for (k, index) in missing.enumerated() {
      positions[index] = found[k]
      if let position = found[k] { flowing[index]!.position = position }
    }
    recognise(
      missing.filter { positions[$0] != nil }, tracks, flowing, patches, in: second,
      reach: configuration.largestCorrection, &positions)
    let back = second.track(
      missing.map { positions[$0] ?? guesses[$0]!.position }, to: first, guesses: homes, levels: 1)
    for (k, index) in missing.enumerated() {
      // Patch and backward flow differ by the foreshortening in the second view.
      let offset = back[k].map { $0 - homes[k] } ?? SIMD2(repeating: .infinity)
      if (offset * offset).sum() > 1 { positions[index] = nil }
    }
  }

  /// The inverse distance at which both rays meet best, 1/m; nil off the epipolar line, or behind.
  private func inverseDistance(_ ray: Vector3, _ secondRay: Vector3) -> Double? {
    let baseline = secondFromFirst.translation
    let normal = baseline.cross(ray)
    guard normal.norm > 0, abs(normal.dot(secondRay)) <= tolerance * normal.norm else { return nil }
    let across = secondRay.cross(baseline)
    guard across.squaredNorm > 0 else { return nil }
    let inverse = -secondRay.cross(ray).dot(across) / across.squaredNorm
    return Self.bounds.contains(inverse) ? inverse : nil
  }
}

import CameraGeometry
import Geometry
import Inertial
import LeastSquares
import SensorData

/// Epipolar outlier rejection: finds tracks of moving points, such as sliding features and passers-by, before the
/// filter uses them.
///
/// The inertial state gives the camera's rotation and, as far as the velocity is known, its translation over the last
/// quarter of a second. Inconsistent tracks are removed for good with all their observations. A quarter of a second is
/// short enough for the gyroscope and long enough for the sliding to exceed the noise.
///
/// Tracks that may be either moving or close (`MinorityMotionTracks`) are withheld while the displacement is poorly
/// known, and never become landmarks: where all else is too far for a distance, such a landmark would be the only one
/// with a distance.
struct EpipolarOutlierRejection {
  /// Times between the two compared frames, seconds, and the age limit of stored frames.
  private static let baselines = [0.2, 0.8], longest = 0.95
  /// The same for the search for minority motion.
  private static let outlierBaselines = [0.2, 0.4, 0.8]
  /// Error of the displacement from integrating the accelerometer, metres.
  static let floor = 0.002

  private struct View {
    var timestamp: Timestamp
    /// Sorted by id.
    var bearings: [(id: Int64, direction: Vector3)]
  }

  /// Minority-motion tracks of the frame.
  private(set) var minorityTracks: Set<Int64> = []

  private var views: [View] = []
  private var withheld: Set<Int64> = []
  private var outlierIDs: Set<Int64> = []

  /// Stores a frame received before initialisation.
  mutating func record(_ frame: CameraFrame, at time: Timestamp, by camera: FilterCamera) {
    views.removeAll { time.seconds(since: $0.timestamp) > Self.longest || $0.timestamp >= time }
    views.append(View(timestamp: time, bearings: bearings(frame, by: camera)))
  }

  /// Directions of a frame's features, without removed tracks.
  private func bearings(_ frame: CameraFrame, by camera: FilterCamera) -> [(id: Int64, direction: Vector3)] {
    frame.features.compactMap { f in
      outlierIDs.contains(f.featureID)
        ? nil : camera.lens.direction(ofPixel: SIMD2(f.u, f.v)).map { (f.featureID, $0) }
    }
  }

  /// Processes a frame at the filter's time, with the camera's present calibration.
  ///
  /// - Returns: the ids of features not to use, and the number of tracks removed for good with this frame.
  mutating func inspect(_ frame: CameraFrame, by camera: FilterCamera, _ navigation: InertialNavigation)
    -> (outlierIDs: Set<Int64>, new: Int)
  {
    let now = navigation.time
    if !outlierIDs.isEmpty { outlierIDs.formIntersection(frame.features.map(\.featureID)) }
    let known = outlierIDs.count
    let bearings = bearings(frame, by: camera)
    views.removeAll { now.seconds(since: $0.timestamp) > Self.longest || $0.timestamp >= now }
    minorityTracks.removeAll()
    withheld.removeAll()
    let pairs = Self.outlierBaselines.compactMap { baseline in
      views.last { now.seconds(since: $0.timestamp) >= baseline }.map {
        (view: $0, rejects: Self.baselines.contains(baseline))
      }
    }
    for (pair, then) in zip(pairs, navigation.past(at: pairs.map(\.view.timestamp))) {
      compare(pair.view, then, bearings, by: camera, navigation, rejects: pair.rejects)
    }
    let accepted = outlierIDs.count == known ? bearings : bearings.filter { !outlierIDs.contains($0.id) }
    views.append(View(timestamp: now, bearings: accepted))
    return (outlierIDs.union(withheld), outlierIDs.count - known)
  }

  /// Clears all state after a restart of the filter.
  mutating func reset() {
    views.removeAll()
    minorityTracks.removeAll()
    withheld.removeAll()
    outlierIDs.removeAll()
  }

  private mutating func compare(
    _ view: View, _ past: InertialState, _ bearings: [(id: Int64, direction: Vector3)], by camera: FilterCamera,
    _ navigation: InertialNavigation, rejects: Bool
  ) {
    let samples = navigation.samples
    // With missing or saturated readings in between, the rotation is unknown.
    guard samples.longestGap(from: view.timestamp, to: navigation.time) <= InertialNoise.dropoutSpacing,
      samples.saturation(from: view.timestamp, to: navigation.time) == (0, 0)
    else { return }
    let then = past.worldFromIMU * navigation.mount.imuFromCamera
    let nowFromThen = (navigation.worldFromNavigation * navigation.mount.imuFromCamera).inverse * then
    let uncertainty = uncertainty(
      navigation, by: camera, since: view.timestamp, rotatedBy: nowFromThen.rotation.log.norm)
    var ids: [Int64] = [], correspondences: [MotionConsensus.Correspondence] = [], i = 0
    for (id, direction) in bearings {
      while i < view.bearings.count, view.bearings[i].id < id { i += 1 }
      guard i < view.bearings.count, view.bearings[i].id == id else { continue }
      ids.append(id)
      correspondences.append(.init(before: nowFromThen.rotation * view.bearings[i].direction, after: direction))
    }
    let minority = MinorityMotionTracks(
      rotationSigma: uncertainty.rotation, observationSigma: camera.pixelNoise / camera.lens.focalLength
    ).among(ids, correspondences)
    minorityTracks.formUnion(minority)
    // Withhold them while the relative error of the displacement is large: they may be close points.
    if uncertainty.offset[0, 0].squareRoot()
      > DynamicInitializer.urgentRelativeSigmaLimit * nowFromThen.translation.norm
    {
      withheld.formUnion(minority)
    }
    // A filter with a poorly known velocity must estimate it from the tracks before it can test them.
    guard rejects, navigation.velocitySigma < InertialNavigation.convergedVelocitySigma,
      let consensus = MotionConsensus(
        offset: -nowFromThen.translation, covariance: uncertainty.offset, deviation: uncertainty.angle)
    else { return }
    guard let areInliers = consensus.inliers(correspondences) else { return }
    for (id, isInlier) in zip(ids, areInliers) where !isInlier { outlierIDs.insert(id) }
  }

  /// Covariance of the displacement since `then`, isotropic, and 1-sigma of an angle between two observations and of
  /// the camera's rotation. A rotation by `angle` radians is wrong by the gyroscope's scale error and by the camera's
  /// calibration.
  private func uncertainty(
    _ navigation: InertialNavigation, by camera: FilterCamera, since then: Timestamp, rotatedBy angle: Double
  ) -> (offset: Matrix3, angle: Double, rotation: Double) {
    let seconds = navigation.time.seconds(since: then)
    let variances = navigation.variances
    let fall = 0.5 * seconds * seconds
    let calibration = navigation.calibrationVariance(rotatedBy: angle, since: then)
    let displacementVariance =
      seconds * seconds * variances.velocity + fall * fall * navigation.accelerationVariance + Self.floor * Self.floor
      + calibration.displacement
    let pixel = camera.pixelNoise / camera.lens.focalLength
    let scale = angle * navigation.rotationScaleSigma
    let rotationVariance = seconds * seconds * variances.gyroscopeBias + scale * scale + calibration.angle
    return (
      Matrix3(diagonal: Vector3(repeating: displacementVariance)),
      (2 * pixel * pixel + rotationVariance).squareRoot(), rotationVariance.squareRoot()
    )
  }
}

/// Tracks without usable motion information: a small minority that moved while nearly all points are still.
///
/// If the median point is still to within noise, a point that moved is either close or moving, and no other observation
/// decides which: points as good as at infinity fit any translation. Using the minority would give a speed with far too
/// small a covariance. A larger group that moved belongs to the scene; a tracker that loses so many points is useless
/// anyway.
package struct MinorityMotionTracks {
  /// Ratio to the median motion beyond which a point belongs to the minority: far beyond noise (Rayleigh: k times the
  /// median has probability 2^(-k^2)). Chosen among 4, 6 and 8 on random worlds.
  private static let outlierRatio = 6.0
  /// Largest fraction of points that is a minority.
  private static let largestFraction = 0.1
  /// 1-sigma of the camera's rotation between the two frames, radians.
  package let rotationSigma: Double
  /// 1-sigma of a correspondence, radians.
  package let observationSigma: Double

  /// From the 1-sigmas of rotation and observations.
  package init(rotationSigma: Double, observationSigma: Double) {
    self.rotationSigma = rotationSigma
    self.observationSigma = observationSigma
  }

  /// The ids of minority tracks, in the order of `correspondences`. O(n log n).
  package func among(_ ids: [Int64], _ correspondences: [MotionConsensus.Correspondence]) -> [Int64] {
    guard correspondences.count >= RecentFrames.fewest else { return [] }
    let moved = correspondences.map { $0.after - $0.before }
    let limit = DynamicInitializer.leastParallax * observationSigma
    // The majority moved, whatever the rotation: no sorting needed.
    let far = (limit + 3 * rotationSigma) * (limit + 3 * rotationSigma)
    if 2 * moved.count(where: { $0.squaredNorm > far }) > moved.count { return [] }
    // Common motion may be an error of the gyroscope's rotation.
    // Closures: a key path of a vector is evaluated by the runtime.
    let middle = Vector3(
      moved.map { $0.x }.median ?? 0, moved.map { $0.y }.median ?? 0, moved.map { $0.z }.median ?? 0)
    let common = min(3 * rotationSigma / max(middle.norm, 1e-12), 1) * middle
    let deviations = moved.map { ($0 - common).norm }
    let typical = deviations.median ?? 0
    guard typical < limit else { return [] }
    let found = zip(ids, deviations).filter { $0.1 > Self.outlierRatio * typical }.map(\.0)
    return Double(found.count) <= Self.largestFraction * Double(ids.count) ? found : []
  }
}

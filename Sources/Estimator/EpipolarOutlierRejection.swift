import Geometry
import Inertial
import SensorData
import CameraGeometry

/// Finds tracks that do not stand still in the room, before the filter sees them: features that slide, people who walk by.
///
/// The inertial unit tells how the camera turned and, as well as the velocity is known, moved within the last quarter of a
/// second; the points that do not fit are cut off for good, and so is what they told before. A quarter of a second is
/// short enough for the gyroscope and long enough for the sliding to exceed the noise.
///
/// What the state cannot tell yet from things close by (`MinorityMotionTracks`) is withheld while the way is hardly known, and never becomes a
/// landmark: where all else is too far for a distance, it would be the only one.
struct EpipolarOutlierRejection {
  /// Time between the two views that are compared: at least and at most, seconds.
  static let baselines = [0.2, 0.8], longest = 0.95
  /// The same for what stands out.
  static let outlierBaselines = [0.2, 0.4, 0.8]
  /// What the integration of the accelerometer adds to the offset's error, metres.
  static let floor = 0.002

  private struct View {
    var timestamp: Timestamp
    /// Sorted by id.
    var bearings: [(id: Int64, direction: Vector3)]
  }

  /// Tracks of the frame that stand out.
  private(set) var strays: Set<Int64> = []

  private var views: [View] = []
  private var withheld: Set<Int64> = []
  private var outlierIDs: Set<Int64> = []

  /// Remembers a frame from before there was a filter.
  mutating func watch(_ frame: CameraFrame, at time: Timestamp, by camera: FilterCamera) {
    views.removeAll { time.seconds(since: $0.timestamp) > Self.longest || $0.timestamp >= time }
    views.append(View(timestamp: time, bearings: bearings(frame, by: camera)))
  }

  /// Directions to what a frame saw and is not cut off.
  private func bearings(_ frame: CameraFrame, by camera: FilterCamera) -> [(id: Int64, direction: Vector3)] {
    frame.features.compactMap { f in
      outlierIDs.contains(f.featureID)
        ? nil : camera.lens.direction(ofPixel: SIMD2(f.u, f.v)).map { (f.featureID, $0) }
    }
  }

  /// Looks at a frame that the filter stands at, taken by a camera as it is known now.
  ///
  /// - Returns: the features' ids that must not be used, and how many of them are cut off for good with this frame.
  mutating func inspect(_ frame: CameraFrame, by camera: FilterCamera, _ navigation: InertialNavigation)
    -> (outlierIDs: Set<Int64>, new: Int)
  {
    let now = navigation.time
    if !outlierIDs.isEmpty { outlierIDs.formIntersection(frame.features.map(\.featureID)) }
    let known = outlierIDs.count
    let bearings = bearings(frame, by: camera)
    views.removeAll { now.seconds(since: $0.timestamp) > Self.longest || $0.timestamp >= now }
    strays.removeAll()
    withheld.removeAll()
    let pairs = Self.outlierBaselines.compactMap { baseline in
      views.last { now.seconds(since: $0.timestamp) >= baseline }.map {
        (view: $0, cuts: Self.baselines.contains(baseline))
      }
    }
    for (pair, then) in zip(pairs, navigation.past(at: pairs.map(\.view.timestamp))) {
      compare(pair.view, then, bearings, by: camera, navigation, cuts: pair.cuts)
    }
    let standing = outlierIDs.count == known ? bearings : bearings.filter { !outlierIDs.contains($0.id) }
    views.append(View(timestamp: now, bearings: standing))
    return (outlierIDs.union(withheld), outlierIDs.count - known)
  }

  /// Forgets everything; the filter is gone.
  mutating func reset() {
    views.removeAll()
    strays.removeAll()
    withheld.removeAll()
    outlierIDs.removeAll()
  }

  private mutating func compare(
    _ view: View, _ past: InertialState, _ bearings: [(id: Int64, direction: Vector3)], by camera: FilterCamera,
    _ navigation: InertialNavigation, cuts: Bool
  ) {
    let samples = navigation.samples
    // Without every reading in between nobody knows how the camera turned.
    guard samples.longestGap(from: view.timestamp, to: navigation.time) <= InertialNoise.dropoutSpacing,
      samples.cut(from: view.timestamp, to: navigation.time) == (0, 0)
    else { return }
    let then = past.worldFromIMU * navigation.mount.imuFromCamera
    let nowFromThen = (navigation.worldFromNavigation * navigation.mount.imuFromCamera).inverse * then
    let doubt = doubt(navigation, by: camera, since: view.timestamp, turned: nowFromThen.rotation.log.norm)
    var ids: [Int64] = [], sights: [MotionConsensus.Sight] = [], i = 0
    for (id, direction) in bearings {
      while i < view.bearings.count, view.bearings[i].id < id { i += 1 }
      guard i < view.bearings.count, view.bearings[i].id == id else { continue }
      ids.append(id)
      sights.append(.init(before: nowFromThen.rotation * view.bearings[i].direction, after: direction))
    }
    let few = MinorityMotionTracks(rotationSigma: doubt.turn, observationSigma: camera.pixelNoise / camera.lens.focalLength)
      .among(ids, sights)
    strays.formUnion(few)
    // A way that is known to half tells itself whether they may be close by.
    if doubt.offset[0, 0].squareRoot() > DynamicInitializer.bearable * nowFromThen.translation.norm {
      withheld.formUnion(few)
    }
    // A state that hardly knows its velocity must learn it from the tracks before it judges them.
    guard cuts, navigation.velocitySigma < InertialNavigation.settledVelocity,
      let consensus = MotionConsensus(
        offset: -nowFromThen.translation, covariance: doubt.offset, deviation: doubt.angle)
    else { return }
    guard let verdict = consensus.stoodStill(sights) else { return }
    for (id, stands) in zip(ids, verdict) where !stands { outlierIDs.insert(id) }
  }

  /// Covariance of the offset over a time, camera's axes up to a turn that leaves it a scalar, and 1-sigma of an angle
  /// between two sights and of the camera's turn.
  /// `turned` radians go wrong by the gyroscope's scale and by the camera's calibration.
  private func doubt(_ navigation: InertialNavigation, by camera: FilterCamera, since then: Timestamp, turned: Double)
    -> (offset: Matrix3, angle: Double, turn: Double)
  {
    let seconds = navigation.time.seconds(since: then)
    let variances = navigation.variances
    let fall = 0.5 * seconds * seconds
    let calibration = navigation.calibrationVariance(turned: turned, since: then)
    let way =
      seconds * seconds * variances.velocity + fall * fall * navigation.accelerationVariance + Self.floor * Self.floor
      + calibration.way
    let pixel = camera.pixelNoise / camera.lens.focalLength
    let scale = turned * navigation.rotationScaleSigma
    let turn = seconds * seconds * variances.gyroscopeBias + scale * scale + calibration.angle
    return (Matrix3(diagonal: Vector3(repeating: way)), (2 * pixel * pixel + turn).squareRoot(), turn.squareRoot())
  }
}

import Geometry
import SensorData

/// Interface of a trajectory filter, inertial or driven by external odometry, for measurement updates.
///
/// Error state: global, `R = Exp(theta) R_hat` with theta in the world frame; positions and everything else additive.
package protocol NavigationFilter: AnyObject {
  /// Covariance of navigation state, clones and augmented states.
  var covariance: ErrorCovariance { get }
  /// Time of the state.
  var time: Timestamp { get }
  /// Pose of the frame that the filter navigates: the IMU, or the odometry's sensor.
  var worldFromNavigation: Pose { get }
  /// First estimate of that pose at `time`. First-estimates Jacobians (FEJ): Jacobians are taken here, residuals at
  /// `worldFromNavigation` (Huang, Mourikis, Roumeliotis 2010, doi:10.1177/0278364909353640).
  var firstWorldFromNavigation: Pose { get }
  /// Calibration: the body from the navigated frame.
  var bodyFromNavigation: Pose { get }
  /// The block that holds the pose's error: theta in rows 0..<3, position in rows 3..<6; more may follow.
  var poseBlock: ErrorCovariance.Block { get }

  /// 1-sigma of a component of the velocity, m/s; 0 for external odometry.
  var velocitySigma: Double { get }

  /// Since when the device had been nearly still at initialisation; nil if it moved or this is unknown.
  var nearlyStillSince: Timestamp? { get }

  /// Whether the velocity is known well enough for the trajectory to determine distances and directions.
  var isVelocityKnown: Bool { get }

  /// Whether the device's position is lost: earlier results are invalid, and no new ones are possible before recovery.
  var isPositionLost: Bool { get }

  /// Whether the trajectory is a measurement: truth plus an error independent of the truth. An estimate has an error
  /// independent of the estimate instead (Berkson, JASA 45(250), 1950, doi:10.1080/01621459.1950.10483349).
  var isExternalOdometry: Bool { get }

  /// Covariance of the origin of this filter's world in the trajectory's first world, m^2.
  var originCovariance: Matrix3 { get }

  /// Drift of the trajectory relative to itself since its start.
  var accumulatedDrift: AccumulatedDrift { get }

  /// Propagates state and covariance to `time`. False, with the state unchanged, if that is not possible (no data, or
  /// time in the past).
  func advance(to time: Timestamp) -> Bool

  /// Injects a correction of the whole error state, one number per row of the covariance.
  func apply(_ correction: [Double])

  /// Augmented states (peers); see the extension.
  var vectors: AugmentedStates { get set }
}

extension NavigationFilter {
  package var isPositionLost: Bool { false }
  package var nearlyStillSince: Timestamp? { nil }
  package var isVelocityKnown: Bool { true }
  package var isExternalOdometry: Bool { false }
  package var originCovariance: Matrix3 { .zero }

  /// Pose of the body in the world.
  package var worldFromBody: Pose { worldFromNavigation * bodyFromNavigation.inverse }

  /// Covariance of the pose of the body in the trajectory's first world.
  package var bodyCovariance: PoseCovariance {
    let n = covariance.size(of: poseBlock)
    let p = covariance.marginal([poseBlock])
    func block(_ row: Int, _ column: Int) -> Matrix3 { Matrix3(blockAt: row, column, of: p, size: n) }
    let navigation = PoseCovariance(
      rotation: block(0, 0), cross: block(0, 3), position: block(3, 3) + originCovariance)
    return navigation.moved(by: worldFromBody.translation - worldFromNavigation.translation)
  }

  /// State augmentation: appends a vector whose error is `sum_i J_i x_i + w` (see `ErrorCovariance.augment`); nil when
  /// a number is not finite.
  package func augment(
    _ value: [Double], jacobian: [(ErrorCovariance.Block, [Double])], independent: [Double]
  ) -> ErrorCovariance.Block? {
    guard value.allSatisfy(\.isFinite),
      let block = covariance.augment(size: value.count, jacobian: jacobian, independent: independent)
    else { return nil }
    vectors.add(block, value)
    return block
  }

  /// Present value of an augmented state.
  package func vector(_ block: ErrorCovariance.Block) -> [Double] { vectors.present(block) }

  /// First estimate of an augmented state: its value at augmentation, where its Jacobians are taken.
  package func firstVector(_ block: ErrorCovariance.Block) -> [Double] { vectors.first(block) }

  /// Replaces the present value of an augmented state without changing its covariance or first estimate: for
  /// deterministic processes such as a decaying bias.
  package func setVector(_ block: ErrorCovariance.Block, to value: [Double]) { vectors.set(block, to: value) }

  /// Marginalises an augmented state.
  package func removeVector(_ block: ErrorCovariance.Block) {
    vectors.remove(block)
    covariance.remove(block)
  }
}

/// State augmentation: values of the vectors appended to a filter's state (peers). The covariance holds their errors.
package struct AugmentedStates {
  private struct Value {
    var block: ErrorCovariance.Block
    var present: [Double]
    var first: [Double]
  }
  private var values: [Value] = []

  /// Blocks of the vectors in the order of augmentation.
  var blocks: [ErrorCovariance.Block] { values.map(\.block) }

  mutating func add(_ block: ErrorCovariance.Block, _ value: [Double]) {
    values.append(Value(block: block, present: value, first: value))
  }

  mutating func remove(_ block: ErrorCovariance.Block) { values.removeAll { $0.block == block } }

  mutating func set(_ block: ErrorCovariance.Block, to value: [Double]) {
    let position = position(block)
    precondition(value.count == values[position].present.count, "a vector keeps its size")
    values[position].present = value
  }

  func present(_ block: ErrorCovariance.Block) -> [Double] { values[position(block)].present }
  func first(_ block: ErrorCovariance.Block) -> [Double] { values[position(block)].first }

  /// Adds each vector's rows of a full-state correction.
  mutating func apply(_ correction: [Double], _ covariance: ErrorCovariance) {
    for i in values.indices {
      let offset = covariance.offset(of: values[i].block)
      for j in values[i].present.indices { values[i].present[j] += correction[offset + j] }
    }
  }

  private func position(_ block: ErrorCovariance.Block) -> Int {
    guard let position = values.firstIndex(where: { $0.block == block }) else {
      preconditionFailure("this vector has been removed")
    }
    return position
  }
}

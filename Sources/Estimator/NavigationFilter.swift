import Geometry
import SensorData

/// What updates need to know of whoever makes the trajectory: an inertial filter or one driven by odometry.
///
/// Error state: global, `R = Exp(theta) R_hat` with theta in the world frame; positions and everything else additive.
package protocol NavigationFilter: AnyObject {
  /// Covariance of navigation state, clones and added vectors.
  var covariance: ErrorCovariance { get }
  /// The moment the state speaks of.
  var time: Timestamp { get }
  /// Pose of the frame that the filter navigates: the IMU, or the odometry's sensor.
  var worldFromNavigation: Pose { get }
  /// First estimate of that pose at `time`: Jacobians are taken here, residuals at `worldFromNavigation`
  /// (first-estimates Jacobians: Huang, Mourikis, Roumeliotis 2010, doi:10.1177/0278364909353640).
  var firstWorldFromNavigation: Pose { get }
  /// Calibration: the body from the navigated frame.
  var bodyFromNavigation: Pose { get }
  /// The block that holds the pose's error: theta in rows 0..<3, position in rows 3..<6; more may follow.
  var poseBlock: ErrorCovariance.Block { get }

  /// 1-sigma of a component of the velocity, m/s; 0 where poses come from outside.
  var velocitySigma: Double { get }

  /// Since when the device had been quiet as the filter began; nil where it moved, or nobody knows.
  var quietSince: Timestamp? { get }

  /// Whether the velocity is known well enough for the way to tell how far away things are, and in which direction.
  var isVelocityKnown: Bool { get }

  /// Whether the device's own way is lost: what was found by it earlier tells nothing any more, and nothing can be found before it is
  /// known again.
  var isPositionLost: Bool { get }

  /// Whether the way is told as it was measured: truth and an error that does not depend on it. An estimate errs the other way about, by what does not
  /// depend on the estimate (Berkson, JASA 45(250), 1950, doi:10.1080/01621459.1950.10483349).
  var isExternalOdometry: Bool { get }

  /// Covariance of where this filter's world lies in the one that the trajectory began in, m^2.
  var originCovariance: Matrix3 { get }

  /// What the trajectory has lost relative to itself since it began.
  var accumulatedDrift: AccumulatedDrift { get }

  /// Carries state and covariance on to `time`. False when that is not possible (no data that far, time in the past);
  /// the state is then unchanged.
  func advance(to time: Timestamp) -> Bool

  /// Injects a correction of the whole error state, one number per row of the covariance.
  func apply(_ correction: [Double])

  /// The vectors that others keep in the state (peers); see the extension.
  var vectors: AugmentedStates { get set }
}

extension NavigationFilter {
  package var isPositionLost: Bool { false }
  package var quietSince: Timestamp? { nil }
  package var isVelocityKnown: Bool { true }
  package var isExternalOdometry: Bool { false }
  package var originCovariance: Matrix3 { .zero }

  /// Pose of the body in the world.
  package var worldFromBody: Pose { worldFromNavigation * bodyFromNavigation.inverse }

  /// Covariance of the pose of the body in the world that the trajectory began in.
  package var bodyCovariance: PoseCovariance {
    let n = covariance.size(of: poseBlock)
    let p = covariance.marginal([poseBlock])
    func block(_ row: Int, _ column: Int) -> Matrix3 { Matrix3(blockAt: row, column, of: p, size: n) }
    let navigation = PoseCovariance(
      rotation: block(0, 0), cross: block(0, 3), position: block(3, 3) + originCovariance)
    return navigation.moved(by: worldFromBody.translation - worldFromNavigation.translation)
  }

  /// Adds a vector whose error is `sum_i J_i x_i + w` (see `ErrorCovariance.augment`); nil when a number is not finite.
  package func augment(
    _ value: [Double], jacobian: [(ErrorCovariance.Block, [Double])], independent: [Double]
  ) -> ErrorCovariance.Block? {
    guard value.allSatisfy(\.isFinite),
      let block = covariance.augment(size: value.count, jacobian: jacobian, independent: independent)
    else { return nil }
    vectors.add(block, value)
    return block
  }

  /// The present value of an added vector.
  package func vector(_ block: ErrorCovariance.Block) -> [Double] { vectors.present(block) }

  /// The value an added vector had when it was added: where its Jacobians are taken.
  package func firstVector(_ block: ErrorCovariance.Block) -> [Double] { vectors.first(block) }

  /// Replaces the present value of an added vector without touching its covariance or its first estimate: for
  /// deterministic processes such as a decaying bias.
  package func setVector(_ block: ErrorCovariance.Block, to value: [Double]) { vectors.set(block, to: value) }

  /// Forgets an added vector.
  package func removeVector(_ block: ErrorCovariance.Block) {
    vectors.remove(block)
    covariance.remove(block)
  }
}

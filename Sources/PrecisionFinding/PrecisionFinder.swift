import Geometry
import SensorData

/// Finds peers: sensor events go in, in arrival order; updates come out, in time order.
///
/// Deterministic and without a clock or I/O of its own: the same events give the same outputs.
public final class PrecisionFinder {
  private let rig: RigCalibration
  private let configuration: FinderConfiguration
  /// What happened so far.
  public private(set) var summary = FinderSummary()

  /// A finder for one device.
  ///
  /// - Parameters:
  ///   - useOdometry: take the trajectory from `odometry` events instead of IMU and camera.
  ///   - initialState: start from this state instead of finding one (`--initialize groundtruth`).
  public init(
    rig: RigCalibration, configuration: FinderConfiguration = FinderConfiguration(), useOdometry: Bool,
    initialState: GroundTruthState? = nil
  ) {
    self.rig = rig
    self.configuration = configuration
  }

  /// Takes one event and returns what can be said now.
  public func process(_ event: TimedEvent) -> [FinderOutput] { [] }

  /// Ends the input and returns what was still held back for late data.
  public func finish() -> [FinderOutput] { [] }
}

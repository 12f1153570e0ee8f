import Datasets
import PrecisionFinding

/// What a run was asked for: everything that may change its results.
struct RunOptions {
  /// Where the filter's first state comes from.
  enum Initialization: String, CaseIterable {
    case auto, groundtruth
  }

  /// Seconds from the recording's first event; nil is its beginning.
  var from: Double?
  /// Seconds from the recording's first event; nil is its end.
  var to: Double?
  /// The only peer of interest; nil for all.
  var peer: String?
  /// Take the trajectory from `odometry0` even where IMU and camera could make one.
  var forcesOdometry = false
  /// Where the first state comes from.
  var initialization = Initialization.auto
  /// Whether the trajectory is made anew from the whole recording once the forward run is done.
  var isOffline = false
  /// Whether any damage of the recording ends the run.
  var isStrict = false
  /// The finder's settings.
  var finder = FinderConfiguration()

  /// How a recording is read for such a run.
  var reading: ReadingOptions {
    ReadingOptions(strict: isStrict, from: from, to: to, peer: peer, usesOdometry: forcesOdometry ? true : nil)
  }
}

import Datasets
import Evaluation
import Foundation
import Geometry
import JSONText

/// The headline figures of a run, each with an explanation.
enum Facts {
  /// Figures of the trajectory and of one peer; unknown ones are left out.
  ///
  /// - Parameter last: the peer's last update: only what it publishes has an error at the end.
  static func json(_ trajectory: TrajectoryErrors?, _ peer: PeerErrors?, last: UpdateRecord) -> JSONValue {
    .array(
      [
        peer.flatMap(coverage), peer.flatMap(distanceCoverage), peer.flatMap(falseConverged), peer.flatMap(angle),
        peer.flatMap { position($0, last) },
        trajectory.map(path), trajectory.flatMap { nees("trajectory NEES", $0.positionNEES, $0.attitudeNEES) },
      ].compactMap { $0 })
  }

  private static func fact(
    _ name: String, _ value: String, _ note: String, _ help: String, bad: Bool = false, isDevices: Bool = false
  ) -> JSONValue {
    [
      "name": .string(name), "value": .string(value), "note": .string(note), "help": .string(help), "bad": .bool(bad),
      "isDevices": .bool(isDevices),
    ]
  }

  private static func coverage(_ errors: PeerErrors) -> JSONValue? {
    errors.coverage90.map {
      fact(
        "angle coverage", "\(Words.fixed(100 * $0, 0)) %", "of \(Words.count(errors.intervals, "interval"))",
        "Fraction of the published 90 % intervals of the angle that contain the true angle. " + consistent,
        bad: $0 < Honesty.leastCoverage)
    }
  }

  private static func distanceCoverage(_ errors: PeerErrors) -> JSONValue? {
    errors.distanceCoverage90.map {
      fact(
        "distance coverage", "\(Words.fixed(100 * $0, 0)) %",
        "of \(Words.count(errors.distanceIntervals, "interval"))",
        "Fraction of the published distances that are within half of their 90 % interval of the true distance. "
          + consistent, bad: $0 < Honesty.leastCoverage)
    }
  }

  private static let consistent = "85 to 95 % is consistent; more is conservative, less is over-confident."

  private static func falseConverged(_ errors: PeerErrors) -> JSONValue? {
    guard errors.judged > 0 else { return nil }
    return fact(
      "false converged", errors.converged > 0 ? "\(errors.falseConverged)" : "none",
      errors.converged > 0 ? "of \(Words.count(errors.converged, "converged update"))" : "never converged",
      "Updates with status 'converged' and an angle error over 20 degrees (peer at least 1 m away "
        + "horizontally) or a position error over 1.5 m.", bad: errors.falseConverged > 0)
  }

  private static func angle(_ errors: PeerErrors) -> JSONValue? {
    errors.angle.map {
      fact(
        "angle error", "\(Words.fixed(Angle.inDegrees($0.median), 1))°",
        "median, \(Words.fixed(Angle.inDegrees($0.percentile90), 1))° in nine of ten",
        "Error of the published horizontal angle, over all updates with an angle.")
    }
  }

  private static func position(_ errors: PeerErrors, _ last: UpdateRecord) -> JSONValue? {
    errors.position.map {
      let nees = errors.positionNEES.mean.map { ", NEES \(Words.fixed($0, 1))" } ?? ""
      let isAtEnd = last.worldPosition != nil
      return fact(
        "position error", "\(Words.fixed(isAtEnd ? $0.final : $0.median, 2)) m",
        (isAtEnd ? "at the end" : "median; none at the end") + nees,
        "Distance of the published position of the peer from the true one, after alignment of the worlds in yaw and "
          + "translation. NEES: squared error normalised by its covariance, mean 3 when consistent.",
        bad: (errors.positionNEES.mean ?? 0) > NormalizedErrors.band.upperBound)
    }
  }

  private static func path(_ errors: TrajectoryErrors) -> JSONValue {
    fact(
      "ATE", "\(Words.fixed(errors.ateYawAligned, 3)) m", "over \(Words.fixed(errors.pathLength, 1)) m",
      "Absolute trajectory error: root mean square distance of the device's estimated trajectory from the true one, "
        + "after alignment in yaw and translation.", isDevices: true)
  }

  private static func nees(_ name: String, _ position: NormalizedErrors, _ attitude: NormalizedErrors) -> JSONValue? {
    guard let p = position.mean, let a = attitude.mean else { return nil }
    return fact(
      name, Words.fixed(p, 1), "position; attitude \(Words.fixed(a, 1))",
      "Normalised estimation error squared, mean over the run: squared error normalised by the reported covariance, "
        + "worlds aligned at the first pose. 3 when consistent, less is conservative, more is over-confident.",
      bad: max(p, a) > NormalizedErrors.band.upperBound, isDevices: true)
  }
}

import Foundation
import Geometry
import PrecisionFinding
import SensorData
import Simulation
import TestSupport

/// A walk with odometry at 25 Hz and ranges to peers at 10 Hz: the events of a recording without a camera.
package struct OdometryWorld {
  package static let start: Int64 = 1_700_000_000_000_000_000
  package static let peers = ["a": Vector3(3, 4, 0.3), "b": Vector3(-4, 2, 2.5)]
  package static let rig = RigCalibration(
    radio: RadioCalibration(), odometry: OdometryCalibration(),
    bodyFromDevice: Pose(rotation: HeldPhone.facingNorth))

  package static func time(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: start).advanced(bySeconds: seconds)
  }

  package static func path(_ t: Double) -> Pose {
    Pose(
      rotation: .yaw(0.4 * sin(0.5 * t)),
      translation: Vector3(0.7 * sin(2.0 * t), 0.7 - 0.7 * cos(1.6 * t), 0.4 * sin(2.6 * t)))
  }

  package static func odometry(_ seconds: Double) -> TimedEvent {
    TimedEvent(.odometry(OdometryPose(timestamp: time(seconds), worldFromSensor: path(seconds))))
  }

  package static func range(_ seconds: Double, _ peer: String, _ metres: Double) -> TimedEvent {
    TimedEvent(.range(RangeMeasurement(timestamp: time(seconds), peer: peer, range: metres)))
  }

  /// All events of `seconds` in time order; the ranges fall between the odometry's poses and never on a tick.
  package static func events(seconds: Double, seed: UInt64 = 141, peers: [String] = ["a", "b"]) -> [TimedEvent] {
    var random = SeededRandom(seed: seed)
    var events = (0...Int(seconds * 25)).map { odometry(Double($0) / 25) }
    for k in 0..<Int(seconds * 10) {
      for (index, peer) in peers.enumerated() {
        let t = 0.1 * Double(k) + 0.013 + 0.03 * Double(index)
        let distance = (Self.peers[peer]! - path(t).translation).norm
        events.append(range(t, peer, distance + 0.1 + 0.04 * random.gaussian()))
      }
    }
    return events.sorted { $0.event.timestamp < $1.event.timestamp }
  }

  package static func finder() -> PrecisionFinder { PrecisionFinder(rig: rig, useOdometry: true) }

  /// Outputs of a finder for the events; with `finish` to the end.
  package static func run(_ events: [TimedEvent], finish: Bool = true) -> [FinderOutput] {
    let finder = finder()
    let outputs = events.flatMap { finder.process($0) }
    return finish ? outputs + finder.finish() : outputs
  }
}

extension [FinderOutput] {
  /// The updates of one peer, or of all.
  package func updates(of peer: String? = nil) -> [NearbyUpdate] {
    compactMap { if case .update(let update) = $0, peer == nil || update.object.peer == peer { update } else { nil } }
  }

  /// The times of the outputs.
  package var times: [Timestamp] {
    map {
      switch $0 {
      case .update(let update): update.timestamp
      case .session(let session): session.timestamp
      case .pose(let time, _, _): time
      }
    }
  }
}

extension NearbyUpdate {
  /// Every number it publishes.
  package var numbers: [Double] {
    var all = [object.distance, object.distanceStandardDeviation].compactMap { $0 }
    if let d = object.direction { all += [d.x, d.y, d.z] }
    if let a = object.horizontalAngle { all += [a.value, a.standardDeviation, a.low, a.high] }
    if let w = object.worldPosition {
      all += [w.position.x, w.position.y, w.position.z, w.covariance.trace, w.covariance.determinant]
    }
    for case .number(let value) in details.values { all.append(value) }
    return all
  }
}

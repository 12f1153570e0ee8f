import Datasets
import Foundation
import JSONText
import PrecisionFinding
import SensorData

/// Keeps where each peer may be, while it has no angle yet, and which way the device points: for the page's ring and
/// map. Changes nothing.
///
/// Works only while somebody looks, at most five times a second of event time and peer.
final class DirectionObserver: ExplanationObserver, @unchecked Sendable {
  private let lock = NSLock()
  private var watchers = 0
  private var last: [String: Timestamp] = [:]
  private var newest: [String: (number: Int, line: [UInt8])] = [:]
  private var number = 0

  func wants(_ peer: String, at time: Timestamp) -> Bool {
    lock.withLock {
      guard watchers > 0 else { return false }
      if let before = last[peer], time.seconds(since: before) < 0.2 { return false }
      last[peer] = time
      return true
    }
  }

  func observe(_ explanation: Explanation) {
    let object = explanation.update.object
    var modes: [JSONValue] = []
    if object.horizontalAngle == nil {
      modes = explanation.modes.map { mode in
        [
          "angle": .number(mode.horizontalAngle), "elevation": .number(mode.elevation),
          "probability": .number(mode.probability), "std": .number(mode.sideways), "distance": .number(mode.distance),
          "direction": .array([mode.direction.x, mode.direction.y, mode.direction.z].map { .number($0) }),
        ]
      }
    }
    var json = JSONWriter()
    json.value([
      "timestamp": .integer(Int(explanation.update.timestamp.nanoseconds)), "peer": .string(object.peer),
      "ahead": .number(Self.ahead(explanation.modes)), "modes": .array(modes),
    ])
    lock.withLock {
      number += 1
      newest[object.peer] = (number, json.bytes)
    }
  }

  /// Azimuth of straight ahead in the estimate's world, radians from x towards y, within (-pi, pi]; nil where no mode
  /// tells it: none is there, or all are overhead or underfoot.
  ///
  /// A mode has its direction in the world and its angle from straight ahead: their sum. The most level one says it best.
  static func ahead(_ modes: [PosteriorMode]) -> Double? {
    guard let mode = modes.min(by: { abs($0.elevation) < abs($1.elevation) }), abs(mode.elevation) < 1.4 else {
      return nil
    }
    let azimuth = atan2(mode.direction.y, mode.direction.x) + mode.horizontalAngle
    return atan2(sin(azimuth), cos(azimuth))
  }

  /// Somebody looks, or no longer.
  func watch(_ change: Int) { lock.withLock { watchers += change } }

  /// The newest line of each peer behind `seen`, and the newest number.
  func lines(after seen: Int) -> (lines: [[UInt8]], newest: Int) {
    lock.withLock {
      (newest.values.filter { $0.number > seen }.sorted { $0.number < $1.number }.map(\.line), number)
    }
  }
}

extension LiveSession {
  /// Somebody looks at the directions, or no longer.
  package func watchDirections(_ isWatching: Bool) { directions.watch(isWatching ? 1 : -1) }

  /// The newest directions of each peer behind a number, and the newest number.
  package func directions(after seen: Int) -> (lines: [[UInt8]], newest: Int) { directions.lines(after: seen) }
}

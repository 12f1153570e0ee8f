import Geometry
import SensorData

/// Lines of `trajectory.tum`: `seconds x y z qx qy qz qw`, the quaternion with its scalar last and not negative.
package enum TrajectoryLine {
  /// The comment where the trajectory began anew.
  static let newWorld = "# a new world begins: positions here have no relation to those above\n"

  /// Appends the line of one pose, with its line break. False when the pose is not finite: then nothing is appended.
  package static func append(_ timestamp: Timestamp, _ pose: Pose, to bytes: inout [UInt8]) -> Bool {
    let p = pose.translation
    let q = pose.rotation
    // Of the two quaternions of a rotation one is chosen, so that the same pose gives the same bytes.
    let sign: Double = q.w < 0 ? -1 : 1
    let numbers = [p.x, p.y, p.z, sign * q.v.x, sign * q.v.y, sign * q.v.z, sign * q.w]
    guard numbers.allSatisfy(\.isFinite) else { return false }
    bytes.append(contentsOf: seconds(timestamp).utf8)
    for number in numbers {
      bytes.append(UInt8(ascii: " "))
      bytes.append(contentsOf: (number == 0 ? 0 : number).description.utf8)
    }
    bytes.append(UInt8(ascii: "\n"))
    return true
  }

  /// The time and the pose of a line; nil for anything else. The time is read as digits: a Double would lose the last
  /// ones.
  package static func parse(_ line: String) -> (Timestamp, Pose)? {
    let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\r" })
    guard words.count == 8, let timestamp = timestamp(words[0]) else { return nil }
    // Beyond 1e9 m a number is no position: computing with it overflows.
    let n = words.dropFirst().compactMap { Double($0) }.filter { abs($0) <= 1e9 }
    guard n.count == 7 else { return nil }
    let length = (n[3] * n[3] + n[4] * n[4] + n[5] * n[5] + n[6] * n[6]).squareRoot()
    guard abs(length - 1) < 1e-3 else { return nil }
    return (
      timestamp,
      Pose(
        rotation: Rotation(w: n[6] / length, x: n[3] / length, y: n[4] / length, z: n[5] / length),
        translation: Vector3(n[0], n[1], n[2]))
    )
  }

  /// Seconds as text, up to nine digits behind the point, to nanoseconds.
  static func timestamp(_ text: Substring) -> Timestamp? {
    let isNegative = text.hasPrefix("-")
    let parts = (isNegative ? text.dropFirst() : text).split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ $0.allSatisfy(\.isASCII) && $0.allSatisfy(\.isNumber) }),
      let whole = Int64(parts[0])
    else { return nil }
    let digits = parts.count == 2 ? parts[1].prefix(9) : ""
    let fraction = Int64(digits + String(repeating: "0", count: 9 - digits.count)) ?? 0
    let (scaled, overflow) = whole.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow, scaled <= Int64.max - 1_000_000_000 else { return nil }
    return Timestamp(nanoseconds: (isNegative ? -1 : 1) * (scaled + fraction))
  }

  /// Seconds with nine digits behind the point, from integers: a Double would lose the last ones.
  package static func seconds(_ timestamp: Timestamp) -> String {
    let magnitude = timestamp.nanoseconds.magnitude
    let fraction = String(magnitude % 1_000_000_000)
    let padding = String(repeating: "0", count: 9 - fraction.count)
    return (timestamp.nanoseconds < 0 ? "-" : "") + "\(magnitude / 1_000_000_000).\(padding)\(fraction)"
  }
}

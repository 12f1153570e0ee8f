import Geometry
import SensorData

/// Lines of `trajectory.tum`: `seconds x y z qx qy qz qw`, the quaternion with its scalar last and not negative.
package enum TrajectoryLine {
  /// Appends the line of one pose, with its line break. False when the pose is not finite: then nothing is appended.
  package static func append(_ timestamp: Timestamp, _ pose: Pose, to bytes: inout [UInt8]) -> Bool {
    let p = pose.translation
    let q = pose.rotation
    // The two quaternions of a rotation are made one, so that the same pose gives the same bytes.
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

  /// Seconds with nine digits behind the point, from integers: a Double would lose the last ones.
  package static func seconds(_ timestamp: Timestamp) -> String {
    let magnitude = timestamp.nanoseconds.magnitude
    let fraction = String(magnitude % 1_000_000_000)
    let padding = String(repeating: "0", count: 9 - fraction.count)
    return (timestamp.nanoseconds < 0 ? "-" : "") + "\(magnitude / 1_000_000_000).\(padding)\(fraction)"
  }
}

import Geometry
import SensorData

extension TableReader {
  /// Three neighbouring columns as a vector.
  @inline(__always)
  func vector(_ first: Int) throws(RowFault) -> Vector3 {
    Vector3(try number(first), try number(first + 1), try number(first + 2))
  }

  /// Four neighbouring columns, w x y z, as a rotation; a norm off by more than 1 % is a fault, less is normalised.
  func rotation(_ first: Int) throws(RowFault) -> Rotation {
    let w = try number(first)
    let v = try vector(first + 1)
    guard Rotation.isUnit(w, v) else { throw RowFault(kind: .notUnitQuaternion, column: first) }
    return Rotation(w: w, x: v.x, y: v.y, z: v.z)
  }

  /// The timestamp of the current row.
  var timestamp: Timestamp { Timestamp(nanoseconds: time) }

  /// A sensor event of the current row.
  func timed(_ event: SensorEvent) -> TimedEvent { TimedEvent(event, arrival: Timestamp(nanoseconds: arrival)) }

  /// Throws when the key was there at this time.
  func unique<Key: Sendable>(_ key: Key, in seen: inout SeenKeys<Key>, column: Int) throws(RowFault) {
    guard seen.insert(key, time: time, inTimeOrder: !hasArrival) else {
      throw RowFault(kind: .duplicate, column: column)
    }
  }
}

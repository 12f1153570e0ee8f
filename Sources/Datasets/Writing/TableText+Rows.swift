import Geometry
import SensorData

/// The cells behind the stamp of each kind of row.
extension TableText {
  /// Three numbers.
  mutating func add(_ vector: Vector3, decimals: Int) throws(DatasetWritingError) {
    for k in 0..<3 { try add(vector[k], decimals: decimals) }
  }

  /// Position (micrometres) and quaternion w, x, y, z with a scalar part that is not negative.
  mutating func add(_ pose: Pose) throws(DatasetWritingError) {
    try add(pose.translation, decimals: 6)
    let sign: Double = pose.rotation.w < 0 ? -1 : 1
    try add(pose.rotation.w * sign, decimals: 9)
    try add(pose.rotation.v * sign, decimals: 9)
  }

  /// An inertial reading.
  mutating func add(_ sample: IMUSample) throws(DatasetWritingError) {
    try add(sample.angularVelocity, decimals: 7)
    try add(sample.specificForce, decimals: 6)
  }

  /// A range with these optional columns.
  mutating func add(_ range: RangeMeasurement, _ columns: [RangeColumn]) throws(DatasetWritingError) {
    add(range.peer)
    try add(range.range, decimals: 4)
    for column in columns {
      switch column.cell(range) {
      case .number(let value): try add(value, decimals: 4)
      case .text(let text): add(text)
      case nil: add("")
      }
    }
  }
}

import Geometry
import SensorData

/// The text of one CSV file, built byte by byte: fixed decimals, no locale, the same bytes everywhere.
struct TableText {
  /// The file's name, for errors.
  let file: String
  /// What has been written.
  private(set) var bytes: [UInt8]
  private var line = 1
  private var atLineStart = false

  /// A table whose first line is `header`.
  init(file: String, header: String) {
    self.file = file
    bytes = Array(header.utf8)
    endLine()
  }

  /// Adds a whole number.
  mutating func add(_ value: Int64) {
    separate()
    append(value.magnitude, isNegative: value < 0, decimals: 0)
  }

  /// Adds a text, which must not contain commas or line breaks.
  mutating func add(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  /// Adds an empty cell: not measured.
  mutating func addNothing() { separate() }

  /// Adds a number with a fixed count of decimals (0...12), rounded half away from zero.
  ///
  /// - Throws: `DatasetWritingError.unwritable` for what is not finite or does not fit.
  mutating func add(_ value: Double, decimals: Int) throws(DatasetWritingError) {
    let scaled = (value * Self.scales[decimals]).rounded(.toNearestOrAwayFromZero)
    guard abs(scaled) < 9e15 else { throw .unwritable(file: file, line: line, value: value) }
    separate()
    append(UInt64(abs(scaled)), isNegative: scaled < 0, decimals: decimals)
  }

  /// 10^0 ... 10^12: every one an exact Double.
  private static let scales: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12]

  /// Appends digits from the last one on: at most 20, a point and a sign, without an array for every number.
  private mutating func append(_ magnitude: UInt64, isNegative: Bool, decimals: Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digits in
      let room = digits.baseAddress!
      var first = 32, remaining = magnitude
      func put(_ byte: UInt8) {
        first -= 1
        room[first] = byte
      }
      for _ in 0..<decimals {
        let rest = remaining / 10
        put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remaining - 10 * rest))
        remaining = rest
      }
      if decimals > 0 { put(UInt8(ascii: ".")) }
      repeat {
        let rest = remaining / 10
        put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remaining - 10 * rest))
        remaining = rest
      } while remaining > 0
      if isNegative { put(UInt8(ascii: "-")) }
      bytes.append(contentsOf: UnsafeBufferPointer(start: room + first, count: 32 - first))
    }
  }

  /// Returns and removes the text written since the last call.
  mutating func drain() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  /// Ends the row.
  mutating func endLine() {
    bytes.append(UInt8(ascii: "\n"))
    line += 1
    atLineStart = true
  }

  private mutating func separate() {
    if !atLineStart { bytes.append(UInt8(ascii: ",")) }
    atLineStart = false
  }
}

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

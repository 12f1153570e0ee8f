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
    bytes.append(contentsOf: String(value).utf8)
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
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = (value * scale).rounded(.toNearestOrAwayFromZero)
    guard abs(scaled) < 9e15 else { throw .unwritable(file: file, line: line, value: value) }
    separate()
    var remaining = UInt64(abs(scaled))
    // At most 16 digits, a point and a sign, from the last one on: without an array for every number.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digits in
      var first = digits.count
      func put(_ byte: UInt8) {
        first -= 1
        digits[first] = byte
      }
      while digits.count - first < (decimals > 0 ? decimals + 2 : 1) || remaining > 0 {
        put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remaining % 10))
        remaining /= 10
        if digits.count - first == decimals { put(UInt8(ascii: ".")) }
      }
      if scaled < 0 { put(UInt8(ascii: "-")) }
      bytes.append(contentsOf: UnsafeMutableBufferPointer(rebasing: digits[first...]))
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

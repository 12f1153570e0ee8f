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
    var remaining = Int64(abs(scaled))
    var digits: [UInt8] = []
    while digits.count < (decimals > 0 ? decimals + 2 : 1) || remaining > 0 {
      digits.append(UInt8(ascii: "0") + UInt8(remaining % 10))
      remaining /= 10
      if digits.count == decimals { digits.append(UInt8(ascii: ".")) }
    }
    if scaled < 0 { digits.append(UInt8(ascii: "-")) }
    bytes.append(contentsOf: digits.reversed())
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

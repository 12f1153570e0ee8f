import Geometry
import JSONText
import SensorData

/// Reads one CSV file row by row, returns cells as numbers or text, and counts bad rows.
///
/// Damage (`DamageRule`). Fatal: any fault in the first rows, and more bad rows than the permitted share of the whole
/// file. The second is checked at the end of the file, and earlier once even the shortest possible valid rows in the
/// rest could not meet it. So memory and time are bounded and no acceptable file is refused. A faulty last row without
/// an end of line is counted separately. When strict, every fault is fatal; a range that was not measured is none.
final class TableReader {
  /// The file, relative to the recording's folder.
  let relativePath: String
  let columns: [Column]
  let header: TableHeader
  /// True when rows are in order of arrival.
  let hasArrival: Bool
  /// Rows read, bad ones included; blank lines are not counted.
  private(set) var rows = 0
  private(set) var counts: [DamageKind: Int] = [:]
  /// Timestamp of the current row, nanoseconds.
  private(set) var time: Int64 = 0
  /// Arrival of the current row, nanoseconds.
  private(set) var arrival: Int64 = 0

  let lines: LineReader
  private let isStrict: Bool
  private let rule: DamageRule
  private let headerBytes: [UInt8]
  private var row = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  private let cells: RowCells
  private let indices: UnsafeMutablePointer<Int>
  private(set) var cellCount = 0
  /// Arrival of the last accepted row.
  private(set) var order = Int64.min
  /// Arrivals beyond are judged.
  private var suspectFrom = Int64.min
  /// The last accepted rows: a row that goes back to one of them is a repetition.
  private var known = RecentRows()
  private var firstFault: DatasetError?

  init(
    path: String, relativePath: String, columns: [Column], rule: DamageRule = .file, isStrict: Bool
  ) throws(DatasetError) {
    self.relativePath = relativePath
    self.columns = columns
    self.rule = rule
    self.isStrict = isStrict
    lines = try LineReader(path: path)
    guard let first = try lines.next() else {
      throw DatasetError(file: path, line: 1, found: "an empty file", expected: "a header and rows")
    }
    header = try TableHeader(first, path: path, line: 1, columns: columns)
    headerBytes = rule == .radio ? Array(first) : []
    hasArrival = header.indices[1] >= 0
    cells = RowCells(width: header.count)
    indices = .allocate(capacity: columns.count)
    indices.initialize(from: header.indices, count: columns.count)
  }

  deinit { indices.deallocate() }

  /// The line of the current row.
  var line: Int { lines.line }
  var path: String { lines.path }
  var damage: FileDamage { FileDamage(path: relativePath, rows: rows, counts: counts) }

  /// Advances to the next row with the right number of cells; false at the end of the file.
  func advance() throws(DatasetError) -> Bool {
    while let bytes = try lines.next() {
      if bytes.isEmpty { continue }
      rows += 1
      row = bytes
      cellCount = cells.split(bytes)
      if rule == .radio, let kind = kindOfText() {
        try reject(RowFault(kind: kind, column: nil))
      } else if cellCount == header.count {
        return true
      } else {
        try reject(RowFault(kind: .cellCount, column: nil))
      }
    }
    try checkDamage(remaining: 0)
    return false
  }

  /// What a line is that is no row; nil for a row.
  private func kindOfText() -> DamageKind? {
    if row.elementsEqual(headerBytes) { return .repeatedHeader }
    return row.first { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: "#") ? .comment : nil
  }

  // MARK: cells

  /// True where the column is in the file.
  func has(_ column: Int) -> Bool { indices[column] >= 0 }

  /// The bytes of a cell without the blanks around it; empty where the column is absent.
  @inline(__always)
  func cell(_ column: Int) -> (start: UnsafePointer<UInt8>, count: Int) {
    let index = indices[column]
    return index >= 0 ? cells.cell(index, of: row) : (row.baseAddress!, 0)
  }

  /// A finite number within the column's bounds.
  @inline(__always)
  func number(_ column: Int) throws(RowFault) -> Double {
    let (start, count) = cell(column)
    switch NumberText.double(start, count) {
    case .number(let value):
      guard columns[column].bounds.contains(value) else { throw RowFault(kind: .outOfRange, column: column) }
      return value
    case .notFinite: throw RowFault(kind: .notFinite, column: column)
    case .text: throw RowFault(kind: count == 0 ? .emptyCell : .notANumber, column: column)
    }
  }

  /// The same, nil for an empty cell or an absent column.
  func numberIfAny(_ column: Int) throws(RowFault) -> Double? {
    cell(column).count == 0 ? nil : try number(column)
  }

  @inline(__always)
  func integer(_ column: Int) throws(RowFault) -> Int64 {
    let (start, count) = cell(column)
    guard let value = NumberText.integer(start, count) else {
      throw RowFault(kind: count == 0 ? .emptyCell : .notANumber, column: column)
    }
    return value
  }

  /// A name; nil for an empty cell or an absent column.
  func text(_ column: Int) throws(RowFault) -> String? {
    let (start, count) = cell(column)
    guard count > 0 else { return nil }
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F })
    else { throw RowFault(kind: .outOfRange, column: column) }
    return text
  }

  /// Reads stamp and arrival and checks their order against the last accepted row.
  @inline(__always)
  func readTime() throws(RowFault) {
    time = try stamp(0)
    arrival = hasArrival ? try stamp(1) : time
    if arrival < order {
      let isRepeated = known.contains(arrival, rowHash)
      throw RowFault(kind: isRepeated ? .duplicate : .timeGoingBack, column: hasArrival ? 1 : 0)
    }
    if arrival < time { throw RowFault(kind: .outOfRange, column: 1) }
    if arrival > suspectFrom, isOutlier() { throw RowFault(kind: .futureStamp, column: hasArrival ? 1 : 0) }
  }

  /// Whether the current row's arrival is an outlier, by the rows behind it, as far as they are in the buffer.
  @inline(never)
  private func isOutlier() -> Bool {
    let clock = hasOrder ? order : nil
    var judge = FutureStamp(arrival)
    var last = arrival
    var verdict: FutureStamp.Verdict?
    row = lines.peek { line in
      // The rows of one frame have one stamp.
      guard let next = peekedArrival(line), next != last else { return true }
      last = next
      verdict = judge.next(next, clock: clock, isOwn: true)
      return verdict == nil
    }
    return (verdict ?? judge.last) == .outlier
  }

  /// The arrival in a row ahead; nil where it has none.
  private func peekedArrival(_ line: UnsafeBufferPointer<UInt8>) -> Int64? {
    let wanted = indices[hasArrival ? 1 : 0]
    var (cell, begin) = (0, 0)
    for at in 0...line.count where at == line.count || line[at] == 0x2C {
      if cell == wanted {
        var (first, end) = (begin, at)
        while first < end, line[first] == 0x20 || line[first] == 0x09 { first += 1 }
        while end > first, line[end - 1] == 0x20 || line[end - 1] == 0x09 || line[end - 1] == 0x0D { end -= 1 }
        guard let base = line.baseAddress, let value = NumberText.integer(base + first, end - first) else { return nil }
        return SensorBounds.isStamp(value) ? value : nil
      }
      (cell, begin) = (cell + 1, at + 1)
    }
    return nil
  }

  @inline(__always)
  private func stamp(_ column: Int) throws(RowFault) -> Int64 {
    let value = try integer(column)
    guard SensorBounds.isStamp(value) else { throw RowFault(kind: .outOfRange, column: column) }
    return value
  }

  /// Accepts the current row: later rows must not be earlier.
  @inline(__always)
  func accept() {
    if arrival != order || rule == .radio { known.append(arrival, rowHash) } else { known.share() }
    order = arrival
    suspectFrom = arrival + FutureStamp.step
  }

  /// What tells the current row from others of its time.
  private var rowHash: UInt64 {
    row.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }  // FNV-1a
  }

  /// Seconds that a counter went back by, and its period where it wraps: of the last accepted rows and the current one.
  private var wrap: CounterWrap? { CounterWrap(from: order, to: arrival, spacing: known.spacing) }

  /// Whether a row was accepted.
  private var hasOrder: Bool { order != .min }

  // MARK: damage

  /// Counts the current row as bad and skips it, or ends the reading.
  func reject(_ fault: RowFault) throws(DatasetError) {
    try reject(fault, error: describe(fault), row: rows, isTruncated: !lines.isTerminated)
  }

  /// The same for an earlier row, described by the caller.
  func reject(_ fault: RowFault, error: DatasetError, row: Int, isTruncated: Bool = false) throws(DatasetError) {
    let isEarly = row <= rule.flawlessRows && (rule.isBad(fault.kind) || isTruncated)
    if isStrict && fault.kind != .notMeasured || isEarly { throw error }
    counts[isTruncated ? .truncatedLastRow : fault.kind, default: 0] += 1
    guard !isTruncated, rule.isBad(fault.kind) else { return }
    if firstFault == nil { firstFault = error }
    try checkDamage(remaining: lines.size - lines.consumed)
  }

  private func checkDamage(remaining: Int64) throws(DatasetError) {
    guard let first = firstFault else { return }
    let bad = counts.reduce(0) { $0 + (rule.isBad($1.key) ? $1.value : 0) }
    // Commas, one digit of a stamp and the end of the line, which the last row may lack.
    let shortestRow = Int64(header.count + 1)
    let possibleRows = (max(0, remaining) + shortestRow - 1) / shortestRow
    if Int64(bad) * rule.rowsForOneBad > Int64(rows) + possibleRows {
      throw DatasetError(
        file: path, line: first.line,
        found: "\(bad) bad rows in \(rows), here the first: \(first.found)",
        expected: "at most one in \(rule == .file ? "1,000" : "10"); here \(first.expected)")
    }
  }

  /// The fault of the current row, in words.
  func describe(_ fault: RowFault) -> DatasetError {
    let cell = fault.column.map { shown($0) } ?? ""
    let name = fault.column.map { columns[$0].name } ?? ""
    let number = fault.column.map { columns[$0].expectation } ?? ""
    let (found, expected): (String, String) =
      switch fault.kind {
      case .cellCount, .truncatedLastRow: ("a row of \(cellCount) cells", "\(header.count) as in the header")
      case .repeatedHeader: ("the header once more", "rows")
      case .comment: ("a comment", "rows")
      case .emptyCell, .notMeasured: ("an empty cell in column \(name)", number)
      case .notANumber:
        if columns[fault.column ?? 0].units == ["ns"] || name == "feature_id" {
          ("'\(cell)' in column \(name)", "a whole number of 64 bits" + (name == "feature_id" ? "" : " [ns]"))
        } else {
          ("'\(cell)' in column \(name)", number)
        }
      case .notFinite: ("'\(cell)' in column \(name)", "a finite number")
      case .outOfRange: ("'\(cell)' in column \(name)", bounds(fault.column ?? 0))
      case .negativeRange: ("a range of \(cell)", "a range of 0 m or more")
      case .notUnitQuaternion: ("a quaternion that is not of unit length", "length 1 within 1 %")
      case .timeGoingBack:
        ("\(name) \(cell) after \(order)", wrap?.remedy ?? "rows in order of \(hasArrival ? "arrival" : "time")")
      case .futureStamp:
        (
          "\(name) \(cell), over \(FutureStamp.step / 1_000_000_000) s after \(hasOrder ? "\(order)" : "what follows"), and the next rows are not",
          "rows in order of \(hasArrival ? "arrival" : "time")"
        )
      case .duplicate:
        ("a second row for the same \(name == "timestamp" ? name : "timestamp and \(name)")", "every one once")
      case .unknownAntenna:
        (cell.isEmpty ? "no antenna_id" : "antenna_id '\(cell)'", "one of the antennas in sensor.yaml")
      case .missingImage, .damagedImage, .wrongImageSize, .missingExposure, .unpairedImage:
        ("an image that cannot be used", "a whole image")
      case .frameNotListed: ("features of a frame that frames.csv does not list", "every frame in frames.csv")
      }
    let truncation = lines.isTerminated ? "" : " (the last row is cut short)"
    return DatasetError(file: path, line: line, found: found + truncation, expected: expected)
  }

  private func bounds(_ column: Int) -> String {
    if columns[column].units == ["ns"] {
      return column == 1 ? "an arrival not before the timestamp, within +-2^62 ns" : "a time within +-2^62 ns"
    }
    if columns[column].isText { return "a plain text" }
    let bounds = columns[column].bounds
    return "\(columns[column].expectation) from \(bounds.lowerBound) to \(bounds.upperBound)"
  }

  private func shown(_ column: Int) -> String {
    let (start, count) = cell(column)
    let text = String(decoding: UnsafeBufferPointer(start: start, count: min(count, 40)), as: UTF8.self)
    let plain = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }.joined()
    return count > 40 ? plain + "..." : plain
  }

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

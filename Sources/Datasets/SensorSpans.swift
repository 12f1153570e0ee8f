import JSONText
import LeastSquares
import SensorData

/// From when to when each sensor of a recording lasts, and what that says of their clocks.
///
/// One test for every pair of sensors, with the same words in `fuse run`, `fuse inspect`, `fuse eval` and `fuse import`: who
/// shares no time with the others cannot be used with them.
package struct SensorSpans {
  /// One sensor, on the clock of the inertial unit where its offset is stated.
  package struct Span: Equatable, Sendable {
    /// Its folder.
    package var sensor: String
    /// First and last stamp.
    package var first: Timestamp, last: Timestamp

    /// A span from its parts.
    package init(sensor: String, first: Timestamp, last: Timestamp) {
      (self.sensor, self.first, self.last) = (sensor, first, last)
    }

    /// Seconds.
    var length: Double { last.seconds(since: first) }

    /// Seconds that it shares with another; below 0: the gap between them.
    func shared(with other: Span) -> Double { min(last, other.last).seconds(since: max(first, other.first)) }
  }

  /// What was found of one sensor, or one pair.
  package struct Finding: Equatable, Sendable {
    /// Nothing can come of these sensors together; otherwise it may be so.
    package var isFault: Bool
    /// What was found, without a stop.
    package var sentence: String
    /// The stamps behind it.
    package var evidence: String
    /// What to do, without a stop.
    package var remedy: String

    /// One line.
    package var words: String { "\(sentence); \(evidence): \(remedy)" }
  }

  /// The sensors: imu0, cam0, cam1, odometry0, uwb0.
  package let spans: [Span]
  /// Ground truth, of which nothing depends; nil without.
  package let truth: Span?

  /// Share of the shorter one's time below which it is said what two share.
  private static let leastShare = 0.5
  /// Sensors that were started together last alike within this, seconds, or a tenth.
  private static let start = 2.0
  /// Begin and end of a sensor that are both later than another's by this look like an offset, seconds.
  private static let shift = 5.0

  /// Spans of the sensors that have any.
  package init(_ spans: some Sequence<Span>, truth: Span? = nil) { (self.spans, self.truth) = (Array(spans), truth) }

  /// What is found, the faults first.
  package var findings: [Finding] {
    let strangers = spans.filter { one in
      spans.count > 1 && spans.allSatisfy { $0 == one || one.shared(with: $0) <= 0 }
    }
    // Of two sensors neither is the strange one; of more than two, those that share time tell who is.
    let apart = strangers.count == spans.count ? Array(strangers.dropFirst()) : strangers
    let faults = apart.map { one in
      stranger(
        one, to: spans.filter { $0 != one && (strangers.count == spans.count || !strangers.contains($0)) })
    }
    let rest = spans.filter { !strangers.contains($0) }
    var split: [Finding] = [], notes: [Finding] = []
    // Whoever is said to be off is not compared with the others again.
    var suspects: [Span] = []
    for other in rest.dropFirst() {
      let first = rest.first { !suspects.contains($0) && $0 != other } ?? rest[0]
      if first.shared(with: other) <= 0 {
        split.append(stranger(other, to: [first]))
        suspects.append(other)
      } else if note(first, other) != nil {
        // Where all others differ from the first one, it is the first.
        let isFirst = rest.count > 2 && rest.dropFirst().allSatisfy { note(rest[0], $0) != nil }
        notes += note(isFirst ? other : first, isFirst ? first : other).map { [$0] } ?? []
        suspects.append(isFirst ? first : other)
        if isFirst { break }
      }
    }
    if faults.isEmpty, let truth, let ranges = spans.last { notes += note(ranges, truth).map { [$0] } ?? [] }
    return faults + split + notes
  }

  /// A sensor that shares no time with any of these.
  private func stranger(_ one: Span, to others: [Span]) -> Finding {
    let other = others[0]
    let offset = one.first.seconds(since: other.first)
    let gap = -one.shared(with: other)
    let isEarlier = one.last < other.first
    // Recorded together they last alike: then the offset is known.
    let isAlike = abs(one.length - other.length) < max(Self.start, 0.1 * max(one.length, other.length))
    return Finding(
      isFault: true,
      sentence: "\(one.sensor) shares no time with \(Self.list(others.map(\.sensor)))",
      evidence: "it \(isEarlier ? "ends" : "begins") \(Self.seconds(gap)) "
        + (isEarlier ? "before \(other.sensor) begins" : "after \(other.sensor) ends"),
      remedy: "bring all sensors onto one clock"
        + (isAlike
          ? ": where both were started together, add \(Self.seconds(-offset)) to the stamps of \(one.sensor)"
          : ": one may count from the start of the recording, the other from 1970"))
  }

  /// What two sensors share that is less than one would expect; nil where nothing is to be said.
  private func note(_ one: Span, _ other: Span) -> Finding? {
    let shared = max(one.shared(with: other), 0), shorter = min(one.length, other.length)
    let begin = other.first.seconds(since: one.first), end = other.last.seconds(since: one.last)
    let isShifted =
      begin * end > 0 && min(abs(begin), abs(end)) > Self.shift && abs(begin - end) < 0.2 * max(abs(begin), abs(end))
    guard shared < Self.leastShare * shorter || isShifted else { return nil }
    return Finding(
      isFault: false,
      sentence: "\(one.sensor) and \(other.sensor) share \(Self.seconds(shared)) of \(Self.seconds(shorter))",
      evidence: "\(other.sensor) begins \(Self.apart(begin)) and ends \(Self.apart(end)) it",
      remedy: isShifted
        ? "check that both share one clock: stamps of \(other.sensor) may be \(Self.seconds(abs(begin))) too "
          + (begin > 0 ? "late" : "early") : "check that both share one clock")
  }

  private static func apart(_ seconds: Double) -> String {
    "\(Self.seconds(abs(seconds))) \(seconds < 0 ? "before" : "after")"
  }

  /// `250.00 s`; whole seconds where there are thousands.
  private static func seconds(_ value: Double) -> String {
    let digits = abs(value) < 1000 ? 2 : 0
    let scale = digits == 2 ? 100.0 : 1.0
    let rounded = (value * scale).rounded()
    guard digits == 2, abs(rounded) < 1e15 else { return "\(Int64(max(min(rounded, 9e18), -9e18))) s" }
    let whole = Int64(abs(rounded))
    return "\(rounded < 0 ? "-" : "")\(whole / 100).\(whole % 100 < 10 ? "0" : "")\(whole % 100) s"
  }

  private static func list(_ names: [String]) -> String {
    names.count < 2 ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
  }
}

extension Recording {
  /// From when to when its sensors last, from the ends of their files; one whose ends cannot be read is left out. Poses
  /// that are not the trajectory's source take part.
  package func spans() throws(DatasetError) -> SensorSpans {
    var files: [(String, RecordingFile, Double)] = []
    if let imu = layout.imu { files.append(("imu0", imu, 0)) }
    let cameras = layout.cameras.map { $0.frames ?? $0.features } + layout.images.map(\.list)
    for (number, file) in cameras.enumerated() {
      files.append(("cam\(number)", file, rig.cameras.indices.contains(number) ? rig.cameras[number].timeOffset : 0))
    }
    if let odometry = layout.odometry { files.append(("odometry0", odometry, 0)) }
    if let radio = layout.radio { files.append(("uwb0", radio, 0)) }
    if let truth = layout.truthStates { files.append(("truth", truth, 0)) }
    var spans: [SensorSpans.Span] = []
    for (sensor, file, offset) in files {
      guard let first = try FileEnd.firstTimestamp(file), let last = try FileEnd.lastTimestamp(file), first <= last
      else { continue }
      spans.append(
        SensorSpans.Span(
          sensor: sensor, first: first.advanced(bySeconds: offset), last: last.advanced(bySeconds: offset)))
    }
    let truth = spans.last.flatMap { $0.sensor == "truth" ? $0 : nil }
    return SensorSpans(truth == nil ? spans[...] : spans.dropLast(), truth: truth)
  }
}

/// A check of every stream when a recording is opened: headers, first rows, the rate of cam0.
struct StreamProbe {
  /// First stamp over all sensors.
  private(set) var first = Timestamp(nanoseconds: .max)
  private(set) var warnings: [String] = []
  private let layout: RecordingLayout
  private let options: ReadingOptions
  private let hasFastCamera: Bool

  /// Seconds of cam0 used to determine its rate, and the longest median interval of a video.
  private static let look = 10.0
  private static let longestInterval = 0.25

  init(layout: RecordingLayout, rig: RigCalibration, options: ReadingOptions) throws(DatasetError) {
    self.layout = layout
    self.options = options
    var hasFastCamera = false
    for stream in try EventStreams.open(layout, rig: rig, readsOdometry: true, tracking: nil, isStrict: options.strict)
    {
      warnings += stream.warnings
      let isEvents = stream is RowStream<DeviceEventDecoder>
      guard let event = try stream.next() else {
        if isEvents { continue }
        let file = stream.damage.last!  // of a camera frames.csv, where it is there
        throw DatasetError(
          file: "\(layout.root)/\(file.path)", line: 2,
          found: file.rows == 0 ? "a header and no rows" : "\(Self.rows(file.rows)), none of them usable",
          expected: "at least one row")
      }
      if !isEvents { first = min(first, event.event.timestamp) }
      // The rate matters only where there is a choice.
      if layout.odometry != nil, case .frame(let frame) = event.event, frame.camera == 0 {
        hasFastCamera = try Self.isFast(stream, first: event.event.timestamp)
      }
    }
    self.hasFastCamera = hasFastCamera
    if first.nanoseconds == .max { first = Timestamp(nanoseconds: 0) }
    if layout.radio == nil { warnings.append("\(layout.root)/mav0/uwb0 is not there: no ranges, no peers") }
  }

  private static func rows(_ count: Int) -> String { count == 1 ? "1 row" : "\(count) rows" }

  private static func isFast(_ stream: any EventStream, first: Timestamp) throws(DatasetError) -> Bool {
    var intervals: [Double] = []
    var last = first
    while let event = try stream.next() {
      intervals.append(event.event.timestamp.seconds(since: last))
      last = event.event.timestamp
      if last.seconds(since: first) > look { break }
    }
    // The median is robust to gaps and to dark intervals missing in features.csv.
    return intervals.median.map { $0 <= longestInterval * (1 + 1e-6) } ?? false
  }

  /// Selects the source of the trajectory.
  func trajectorySource() throws(DatasetError) -> TrajectorySource? {
    let hasVision = layout.imu != nil && (!layout.cameras.isEmpty || !layout.images.isEmpty)
    let hasOdometry = layout.odometry != nil
    switch options.usesOdometry {
    case true?:
      if hasOdometry { return .odometry }
      throw DatasetError(
        file: "\(layout.root)/mav0/odometry0", found: "no such folder", expected: "poses, as odometry was asked for")
    case false? where hasVision: return .imuAndCamera
    case false? where options.needsTrajectory: throw missing()
    case nil where hasVision && (hasFastCamera || !hasOdometry): return .imuAndCamera
    case nil where hasOdometry: return .odometry
    default:
      if options.needsTrajectory { throw missing() }
      return nil
    }
  }

  private func missing() -> DatasetError {
    let mav = "\(layout.root)/mav0"
    if layout.hasImagesOnly, layout.imu != nil {
      return DatasetError(
        file: "\(mav)/cam0", found: "images without tracks",
        expected: "cam0/features.csv, which 'fuse track' makes, or odometry0 in \(mav)")
    }
    if layout.imu != nil {
      return DatasetError(
        file: "\(mav)/cam0/features.csv", found: "no such file", expected: "tracks beside imu0, or odometry0")
    }
    if !layout.cameras.isEmpty || !layout.images.isEmpty {
      return DatasetError(file: "\(mav)/imu0", found: "no such folder", expected: "imu0 beside cam0, or odometry0")
    }
    return DatasetError(file: mav, found: "nothing that gives a trajectory", expected: "imu0 and cam0, or odometry0")
  }
}

/// Reads the first and the last timestamp of a table from the file's ends.
enum FileEnd {
  /// The last timestamp in the file; nil where the end is no table.
  static func lastTimestamp(_ file: RecordingFile) throws(DatasetError) -> Timestamp? {
    let (table, _) = try opened(file)
    guard let table else { return nil }
    let (bytes, _) = try RegularFile.tail(file.path, count: LineReader.longestLine)
    for line in bytes.split(separator: 0x0A).reversed() {
      if let stamp = timestamp(line, table) { return stamp }
    }
    return nil
  }

  /// The first timestamp in the file; nil where none of its first rows has one.
  static func firstTimestamp(_ file: RecordingFile) throws(DatasetError) -> Timestamp? {
    let (table, lines) = try opened(file)
    guard let table else { return nil }
    for _ in 0..<100 {
      guard let line = try lines.next() else { return nil }
      if let stamp = timestamp(Array(line)[...], table) { return stamp }
    }
    return nil
  }

  private static func opened(_ file: RecordingFile) throws(DatasetError) -> (TableHeader?, LineReader) {
    let lines = try LineReader(path: file.path)
    guard let first = try lines.next() else { return (nil, lines) }
    return (try TableHeader(first, path: file.path, line: 1, columns: Column.time), lines)
  }

  private static func timestamp(_ line: ArraySlice<UInt8>, _ table: TableHeader) -> Timestamp? {
    let row = line.split(separator: 0x2C, omittingEmptySubsequences: false)
    guard row.count == table.count else { return nil }
    let cell = row[table.indices[0]].filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
    let value = cell.withUnsafeBufferPointer { $0.baseAddress.flatMap { NumberText.integer($0, cell.count) } }
    guard let value, abs(value) < 1 << 62 else { return nil }
    return Timestamp(nanoseconds: value)
  }
}

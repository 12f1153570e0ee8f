import Datasets
import Geometry
import JSONText
import SensorData
import Wording

/// Parses event lines: structure only, no memory of earlier lines but for warnings.
package struct LineParser: Sendable {
  /// Longest line where nothing else is said, bytes: a frame of ten thousand features.
  package static let longestLine = 1 << 20
  /// Longest name, bytes.
  package static let longestName = 256

  /// Warnings not yet taken, each once.
  package private(set) var warnings: [String] = []
  private var warned: Set<String> = []
  private var frameFaults: [ParsedEvent] = []

  private let longestLine: Int

  /// A parser of lines up to a number of bytes.
  package init(longestLine: Int = Self.longestLine) { self.longestLine = longestLine }

  /// Returns the warnings and forgets them.
  package mutating func takeWarnings() -> [String] {
    defer { warnings = [] }
    return warnings
  }

  /// Parses one line, without its line break.
  ///
  /// - Throws: `TextFault` for what is no JSON, a missing or misspelt key, a value of a wrong type.
  package mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(TextFault) -> ParsedLine {
    guard bytes.count <= longestLine else {
      throw TextFault(found: "a line of \(bytes.count) bytes", expected: "at most \(longestLine)")
    }
    var reader = JSONReader(bytes, deepest: 16, isStrict: true)
    if reader.isAtEnd() { return .blank }
    try reader.need(UInt8(ascii: "{"), "an object: one event a line")
    var isFirst = true
    var found: ParsedLine?
    var outer: Int64?
    func once() throws(TextFault) {
      if found != nil { throw TextFault(found: "two events in one line", expected: "one event a line") }
    }
    while let key = try reader.key(&isFirst) {
      if key.equals("imu") {
        try once()
        found = .events(try imu(&reader))
      } else if key.equals("frame") {
        try once()
        found = .events(try frame(&reader))
      } else if key.equals("range") {
        try once()
        found = .events([try range(&reader)])
      } else if key.equals("pose") {
        try once()
        found = .events([try pose(&reader)])
      } else if key.equals("event") {
        try once()
        found = .events([try device(&reader)])
      } else if key.equals("end") {
        try once()
        _ = try reader.members()
        found = .end
      } else if key.equals("arrival") {
        outer = try reader.arrival()
      } else if key.equals("version") {
        try once()
        reader = JSONReader(bytes, deepest: 16, isStrict: true)
        found = .header(try reader.value())
        break
      } else {
        try unknown(
          key, in: "the line", known: ["imu", "frame", "pose", "range", "event", "end", "arrival", "version"])
        // The first line's keys may come in any order.
        if found == nil, key.equals("trajectory") || key.equals("rig") || key.equals("config") {
          reader = JSONReader(bytes, deepest: 16, isStrict: true)
          let tree = try reader.value()
          guard tree["version"] != nil else { throw TextFault(found: "no key version", expected: "\"version\":1") }
          found = .header(tree)
          break
        }
        try reader.skip()
      }
    }
    guard reader.isAtEnd() else { throw reader.fault("the end of the line: one event a line") }
    guard let found else {
      throw TextFault(found: "an object without an event", expected: "imu, frame, pose, range, event or end")
    }
    guard let outer, case .events(let events) = found else { return found }
    return .events(events.map { Self.arrived($0, outer) })
  }

  // MARK: kinds of lines

  private mutating func imu(_ reader: inout JSONReader) throws(TextFault) -> [ParsedEvent] {
    let what = "[[t,wx,wy,wz,ax,ay,az],...]"
    try reader.need(UInt8(ascii: "["), what)
    var events: [ParsedEvent] = []
    events.reserveCapacity(8)
    var begin = Int64.max
    var last = Int64.min
    if reader.pass(UInt8(ascii: "]")) { return [] }
    repeat {
      try reader.need(UInt8(ascii: "["), what)
      let time = try reader.integer("the time in whole nanoseconds")
      var values = SIMD8<Double>()
      var isFinite = true
      for k in 0..<6 {
        try reader.need(UInt8(ascii: ","), "7 numbers: \(what)")
        if let value = try reader.number() { values[k] = value } else { isFinite = false }
      }
      try reader.need(UInt8(ascii: "]"), "']' behind 7 numbers: \(what)")
      let (w, a) = (Vector3(values[0], values[1], values[2]), Vector3(values[3], values[4], values[5]))
      guard isFinite else {
        events.append(.damaged(.imu, .notFinite))
        continue
      }
      guard
        (0..<3).allSatisfy({
          SensorBounds.angularVelocity.contains(w[$0]) && SensorBounds.specificForce.contains(a[$0])
        })
      else {
        events.append(.damaged(.imu, .outOfRange))
        continue
      }
      (begin, last) = (min(begin, time), max(last, time))
      let sample = IMUSample(timestamp: Timestamp(nanoseconds: time), angularVelocity: w, specificForce: a)
      events.append(Self.timed(.imu(sample), .imu))
    } while reader.pass(UInt8(ascii: ","))
    try reader.need(UInt8(ascii: "]"), "']' or ',': \(what)")
    if begin <= last, last.subtractingReportingOverflow(begin).partialValue > 20_000_000 {
      warn("an imu line spans more than 20 ms: what was measured meanwhile comes after it, out of order")
    }
    return events
  }

  private mutating func frame(_ reader: inout JSONReader) throws(TextFault) -> [ParsedEvent] {
    try reader.need(UInt8(ascii: "{"), "an object")
    var isFirst = true
    var frame = CameraFrame(timestamp: Timestamp(nanoseconds: 0), features: [])
    var (time, arrival): (Int64?, Int64?)
    var ids: [Int64]?
    var pixels: [Double]?
    var fault: DamageKind?
    frameFaults.removeAll(keepingCapacity: true)
    while let key = try reader.key(&isFirst) {
      if key.equals("t") {
        time = try reader.integer("t: whole nanoseconds")
      } else if key.equals("camera") {
        let number = try reader.integer("camera: 0 or 1")
        guard number == 0 || number == 1 else { throw TextFault(found: "camera \(number)", expected: "0 or 1") }
        frame.camera = Int(number)
      } else if key.equals("ids") {
        ids = try reader.list("ids: [...]") { s throws(TextFault) in try s.integer("a whole number as id") }
      } else if key.equals("uv") {
        pixels = try reader.numbers("uv: [u0,v0,u1,v1,...]")
      } else if key.equals("luma") {
        frame.meanLuma = try reader.number(within: SensorBounds.luma, &fault)
      } else if key.equals("exposure") {
        frame.exposure = try reader.number(within: SensorBounds.exposure, &fault).map { $0 * 1e-9 }
      } else if key.equals("view") {
        guard let name = try reader.text("view: a text") else { continue }
        frame.view = ViewCondition(rawValue: name)
        if frame.view == nil { fault = .outOfRange }
      } else if key.equals("arrival") {
        arrival = try reader.arrival()
      } else {
        try unknown(
          key, in: "frame", known: ["t", "camera", "ids", "uv", "luma", "exposure", "view", "arrival"])
        try reader.skip()
      }
    }
    let features = try features(Self.needed(ids, "frame.ids"), Self.needed(pixels, "frame.uv"))
    frame.timestamp = Timestamp(nanoseconds: try Self.needed(time, "frame.t"))
    frame.features = features
    if let fault { return [.damaged(.frame, fault)] }
    return frameFaults + [Self.arrived(Self.timed(.frame(frame), .frame), arrival)]
  }

  /// Features sorted by id; damaged ones are left out and counted.
  private mutating func features(_ ids: [Int64], _ pixels: [Double]) throws(TextFault) -> [FeatureObservation] {
    guard pixels.count == 2 * ids.count else {
      throw TextFault(
        found: "\(pixels.count) numbers in frame.uv for \(ids.count) ids", expected: "\(2 * ids.count): u and v of each"
      )
    }
    var features: [FeatureObservation] = []
    features.reserveCapacity(ids.count)
    var isAscending = true
    for (index, id) in ids.enumerated() {
      let (u, v) = (pixels[2 * index], pixels[2 * index + 1])
      guard SensorBounds.pixel.contains(u), SensorBounds.pixel.contains(v) else {
        frameFaults.append(.damaged(.frame, u.isFinite && v.isFinite ? .outOfRange : .notFinite))
        continue
      }
      if let last = features.last, id <= last.featureID { isAscending = false }
      features.append(FeatureObservation(featureID: id, u: u, v: v))
    }
    if isAscending { return features }
    var seen: Set<Int64> = []
    features.removeAll { feature in
      guard !seen.insert(feature.featureID).inserted else { return false }
      frameFaults.append(.damaged(.frame, .duplicate))
      return true
    }
    features.sort { $0.featureID < $1.featureID }
    return features
  }

  private mutating func pose(_ reader: inout JSONReader) throws(TextFault) -> ParsedEvent {
    try reader.need(UInt8(ascii: "{"), "an object")
    var isFirst = true
    var (time, arrival): (Int64?, Int64?)
    var (p, q): ([Double]?, [Double]?)
    while let key = try reader.key(&isFirst) {
      if key.equals("t") {
        time = try reader.integer("t: whole nanoseconds")
      } else if key.equals("p") {
        p = try reader.numbers("p: [x,y,z]")
      } else if key.equals("q") {
        q = try reader.numbers("q: [w,x,y,z]")
      } else if key.equals("arrival") {
        arrival = try reader.arrival()
      } else {
        try unknown(key, in: "pose", known: ["t", "p", "q", "arrival"])
        try reader.skip()
      }
    }
    let position = try Self.needed(p, "pose.p")
    let quaternion = try Self.needed(q, "pose.q")
    let stamp = Timestamp(nanoseconds: try Self.needed(time, "pose.t"))
    guard position.count == 3 else {
      throw TextFault(found: "pose.p of \(position.count) numbers", expected: "[x,y,z]")
    }
    guard quaternion.count == 4 else {
      throw TextFault(found: "pose.q of \(quaternion.count) numbers", expected: "[w,x,y,z]")
    }
    guard (position + quaternion).allSatisfy(\.isFinite) else { return .damaged(.pose, .notFinite) }
    let v = Vector3(quaternion[1], quaternion[2], quaternion[3])
    guard Rotation.isUnit(quaternion[0], v) else { return .damaged(.pose, .notUnitQuaternion) }
    let pose = Pose(
      rotation: Rotation(w: quaternion[0], x: v.x, y: v.y, z: v.z),
      translation: Vector3(position[0], position[1], position[2]))
    return Self.arrived(
      Self.timed(.odometry(OdometryPose(timestamp: stamp, worldFromSensor: pose)), .pose), arrival)
  }

  private mutating func range(_ reader: inout JSONReader) throws(TextFault) -> ParsedEvent {
    try reader.need(UInt8(ascii: "{"), "an object")
    var isFirst = true
    var (time, arrival): (Int64?, Int64?)
    var peer: String?
    var distance: Double?
    var measurement = RangeMeasurement(timestamp: Timestamp(nanoseconds: 0), peer: "", range: 0)
    var fault: DamageKind?
    while let key = try reader.key(&isFirst) {
      if key.equals("t") {
        time = try reader.integer("t: whole nanoseconds")
      } else if key.equals("peer") {
        peer = try reader.boundedString("peer")
      } else if key.equals("range") {
        guard let value = try reader.number() else {
          (distance, fault) = (0, .notFinite)
          continue
        }
        distance = value
        if value < 0 { fault = .negativeRange } else if !SensorBounds.range.contains(value) { fault = .outOfRange }
      } else if key.equals("std") {
        measurement.standardDeviation = try reader.number(within: SensorBounds.rangeDeviation, &fault)
      } else if key.equals("antenna") {
        measurement.antenna = try reader.name("antenna", "a text", &fault)
      } else if key.equals("azimuth") {
        measurement.azimuth = try reader.number(within: SensorBounds.azimuth, &fault)
      } else if key.equals("elevation") {
        measurement.elevation = try reader.number(within: SensorBounds.elevation, &fault)
      } else if key.equals("angleStd") {
        measurement.angleStandardDeviation = try reader.number(within: SensorBounds.angleDeviation, &fault)
      } else if key.equals("rssi") {
        measurement.rssi = try reader.number(within: SensorBounds.power, &fault)
      } else if key.equals("firstPathPower") {
        measurement.firstPathPower = try reader.number(within: SensorBounds.power, &fault)
      } else if key.equals("nlos") {
        measurement.nonLineOfSight = try reader.number(within: SensorBounds.nlos, &fault)
      } else if key.equals("technology") {
        measurement.technology = try reader.name("technology", "a text", &fault)
      } else if key.equals("arrival") {
        arrival = try reader.arrival()
      } else {
        try unknown(
          key, in: "range",
          known: [
            "t", "peer", "range", "std", "antenna", "azimuth", "elevation", "angleStd", "rssi", "firstPathPower",
            "nlos",
            "technology", "arrival",
          ])
        try reader.skip()
      }
    }
    measurement.timestamp = Timestamp(nanoseconds: try Self.needed(time, "range.t"))
    measurement.peer = try Self.needed(peer, "range.peer")
    measurement.range = try Self.needed(distance, "range.range")
    if measurement.peer.isEmpty { return .damaged(.range, .emptyCell) }
    if !SensorBounds.isName(measurement.peer) { return .damaged(.range, .outOfRange) }
    if let fault { return .damaged(.range, fault) }
    return Self.arrived(Self.timed(.range(measurement), .range), arrival)
  }

  private mutating func device(_ reader: inout JSONReader) throws(TextFault) -> ParsedEvent {
    try reader.need(UInt8(ascii: "{"), "an object")
    var isFirst = true
    var (time, arrival): (Int64?, Int64?)
    var name: String?
    var peer: String?
    var fault: DamageKind?
    while let key = try reader.key(&isFirst) {
      if key.equals("t") {
        time = try reader.integer("t: whole nanoseconds")
      } else if key.equals("event") {
        name = try reader.boundedString("event")
      } else if key.equals("peer") {
        peer = try reader.name("peer", "a text or null", &fault)
      } else if key.equals("arrival") {
        arrival = try reader.arrival()
      } else {
        try unknown(key, in: "event", known: ["t", "event", "peer", "arrival"])
        try reader.skip()
      }
    }
    let event = DeviceEvent(
      timestamp: Timestamp(nanoseconds: try Self.needed(time, "event.t")), name: try Self.needed(name, "event.event"),
      peer: peer)
    if event.name.isEmpty { return .damaged(.event, .emptyCell) }
    if let fault { return .damaged(.event, fault) }
    if !SensorBounds.isName(event.name) { return .damaged(.event, .outOfRange) }
    return Self.arrived(Self.timed(.device(event), .event), arrival)
  }

  // MARK: parts

  private static func timed(_ event: SensorEvent, _ stream: LineStream) -> ParsedEvent {
    SensorBounds.isStamp(event.timestamp.nanoseconds) ? .event(TimedEvent(event)) : .damaged(stream, .outOfRange)
  }

  private static func arrived(_ parsed: ParsedEvent, _ arrival: Int64?) -> ParsedEvent {
    guard let arrival, case .event(var timed) = parsed else { return parsed }
    timed.arrival = Timestamp(nanoseconds: arrival)
    guard SensorBounds.isStamp(arrival), timed.arrival >= timed.event.timestamp else {
      return .damaged(timed.event.stream, .outOfRange)
    }
    return .event(timed)
  }

  private static func needed<T>(_ value: T?, _ name: String) throws(TextFault) -> T {
    guard let value else { throw TextFault(found: "no key \(name)", expected: "\(name) in every such line") }
    return value
  }

  /// An unknown key: a warning once, a fault where it is probably a misspelling.
  private mutating func unknown(_ key: UnsafeBufferPointer<UInt8>, in place: String, known: [String]) throws(TextFault)
  {
    let name = String(decoding: key.prefix(64), as: UTF8.self)
    if let intended = Spelling.intended(name, among: known) {
      throw TextFault(found: "key '\(name)' in \(place)", expected: "'\(intended)' (misspelt?)")
    }
    if place == "the line", ["trajectory", "rig", "config"].contains(name) { return }
    warn("key '\(name)' in \(place) is not known and not used")
  }

  private mutating func warn(_ text: String) {
    guard warned.count < 100, warned.insert(text).inserted else { return }
    warnings.append(text)
  }
}

extension UnsafeBufferPointer<UInt8> {
  @inline(__always)
  fileprivate func equals(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for k in 0..<count where self[k] != text.utf8Start[k] { return false }
    return true
  }
}

extension SensorEvent {
  /// The stream that it belongs to.
  package var stream: LineStream {
    switch self {
    case .imu: .imu
    case .odometry: .pose
    case .frame: .frame
    case .device: .event
    case .range: .range
    }
  }
}

import Datasets
import Geometry
import LeastSquares
import SensorData
import Wording

/// VideoIMUCapture: `video_meta.pb3` (its messages, one after the other, or one that holds all) beside the video.
struct VideoIMUImport: SourceImporter {
  private let folder: SourceFolder
  private let path: String

  var rangeColumns: [String] { PhoneRanges.columns }

  init(source: String) throws(DatasetError) {
    folder = try SourceFolder(source, needed: [], kind: .videoIMU)
    guard let path = folder.first(ending: ".pb3") else {
      throw DatasetError(file: folder.path, found: "no video_meta.pb3", expected: ImportKind.videoIMU.summary)
    }
    self.path = path
  }

  // MARK: - Messages

  private struct Reading {
    var time: Int64
    var rate: Vector3, force: Vector3
  }

  private struct Frame {
    var number: Int64 = 0, time: Int64 = 0
    /// Nanoseconds.
    var exposure: Int64 = 0, readout: Int64 = 0
  }

  private struct Camera {
    var intrinsics: [Double] = [], distortion: [Double] = [], turn: [Double] = [], place: [Double] = []
    var width = 0, height = 0, orientation = 90
    var hasClock = false, isPlacedByGyroscope = false
  }

  /// Everything of the file.
  private struct Contents {
    var camera: Camera?
    var readings: [Reading] = [], frames: [Frame] = []
    /// The frames in the video: their numbers, by their times in it.
    var inVideo: [(time: Int64, number: Int64)] = []

    /// Bytes behind the last message that is whole.
    var left = 0

    /// Takes a message by what it is; false where it is none.
    mutating func add(_ what: What, _ message: ProtobufMessage) -> Bool {
      switch what {
      case .camera:
        guard let camera = Self.camera(message) else { return false }
        self.camera = camera
      case .reading:
        guard let time = message.integer(1), let w = message.floats(2), let a = message.floats(4), w.count == 3,
          a.count == 3
        else { return false }
        readings.append(
          Reading(time: time, rate: Vector3(w[0], w[1], w[2]), force: Vector3(a[0], a[1], a[2])))
      case .frame:
        guard let time = message.integer(1), SensorBounds.isStamp(time) else { return false }
        // A second is longer than any frame.
        func short(_ field: Int) -> Int64 { max(0, min(message.integer(field) ?? 0, 1_000_000_000)) }
        frames.append(
          Frame(
            number: message.integer(2) ?? Int64(frames.count), time: time, exposure: short(3), readout: short(5)))
      case .frameTime: inVideo.append((message.integer(1) ?? 0, message.integer(2) ?? 0))
      case .other: break
      }
      return true
    }

    private static func camera(_ message: ProtobufMessage) -> Camera? {
      var camera = Camera()
      camera.intrinsics = message.floats(1) ?? []
      camera.distortion = message.floats(2) ?? []
      camera.hasClock = message.integer(6) == 1
      camera.isPlacedByGyroscope = message.integer(7) == 1
      camera.turn = message.floats(8) ?? []
      camera.place = message.floats(9) ?? []
      camera.orientation = Int(truncatingIfNeeded: message.integer(14) ?? 90)
      if let bytes = message.bytes(11), let size = ProtobufMessage(bytes) {
        let (w, h) = (size.integer(1) ?? 0, size.integer(2) ?? 0)
        if (1...100_000).contains(w), (1...100_000).contains(h) { (camera.width, camera.height) = (Int(w), Int(h)) }
      }
      return camera
    }
  }

  private enum What { case camera, reading, frame, frameTime, other }

  /// The fields of the wrapper of newer versions, and of the message of older ones that holds all.
  private static let wrapped: [Int: What] = [1: .camera, 2: .reading, 3: .other, 4: .frame, 5: .frameTime]
  private static let whole: [Int: What] = [1: .other, 2: .camera, 3: .other, 4: .reading, 5: .frame]

  /// A message is shorter, bytes.
  private static let longestMessage = 4096

  private static func contents(_ bytes: ArraySlice<UInt8>) -> Contents? {
    var contents = Contents()
    var rest = bytes
    // Messages one after the other, each behind its length.
    while !rest.isEmpty {
      guard let length = ProtobufMessage.varint(&rest), length <= UInt64(rest.count),
        let wrapper = ProtobufMessage(rest.prefix(Int(length))), take(wrapper, wrapped, &contents)
      else { break }
      rest = rest.dropFirst(Int(length))
    }
    contents.left = rest.count
    if !contents.readings.isEmpty { return contents }
    var all = Contents()
    guard let message = ProtobufMessage(bytes), take(message, whole, &all), !all.readings.isEmpty else { return nil }
    return all
  }

  private static func take(_ message: ProtobufMessage, _ meaning: [Int: What], _ contents: inout Contents) -> Bool {
    for field in message.fields {
      guard let what = meaning[field.number] else { return false }
      guard what != .other else { continue }
      guard case .bytes(let inner) = field.value, let part = ProtobufMessage(inner), contents.add(what, part) else {
        return false
      }
    }
    return true
  }

  // MARK: - Reading

  func read(into target: inout ImportTarget) throws {
    let bytes = try RegularFile.bytes(path, limit: 1 << 30)
    guard let contents = Self.contents(bytes[...]) else {
      throw DatasetError(
        file: path, found: "\(bytes.count) bytes that hold no readings of an inertial unit",
        expected: "messages of VideoIMUCapture: imu_data with time_ns, gyro and accel")
    }
    // The last message may be cut off where the app was stopped; more than that is damage.
    guard contents.left <= Self.longestMessage else {
      throw DatasetError(
        file: path, found: "a damaged message at byte \(bytes.count - contents.left) of \(bytes.count)",
        expected: "messages of VideoIMUCapture to the end")
    }
    target.report.count("bytes of a last message that is cut off", contents.left)
    target.device = .identity
    var left = 0
    for reading in contents.readings.sorted(by: { $0.time < $1.time }) {
      let sample = IMUSample(
        timestamp: Timestamp(nanoseconds: reading.time), angularVelocity: reading.rate, specificForce: reading.force)
      try target.add(sample) { _ in left += 1 }
    }
    target.report.count("readings left out, beyond what a sensor measures", left)
    target.rig.imu = try PhoneUnits.inertial(nil, &target.report)
    target.report.decide("times in ns, of Android's sensors; acceleration in m/s^2, up at rest")
    try writeVideo(contents, &target)
    try PhoneRanges.read(folder, &target)
  }

  private func writeVideo(_ contents: Contents, _ target: inout ImportTarget) throws {
    guard !contents.frames.isEmpty, let camera = contents.camera else {
      return target.report.decide("no frames, or no camera, in \(path.split(separator: "/").last ?? ""): no camera")
    }
    var frames = contents.frames.sorted { $0.time < $1.time }
    if !contents.inVideo.isEmpty {
      let byNumber = Dictionary(frames.map { ($0.number, $0) }) { first, _ in first }
      let order = contents.inVideo.sorted { $0.time < $1.time }
      frames = order.map { byNumber[$0.number] ?? Frame(number: $0.number, time: -1) }
    }
    var video = PhoneVideo(name: "video_recording.mp4")
    if camera.intrinsics.count >= 4, camera.intrinsics[0] > 0, camera.intrinsics[1] > 0 {
      video.focal = (camera.intrinsics[0], camera.intrinsics[1])
      video.principal = (camera.intrinsics[2], camera.intrinsics[3])
    }
    if camera.width > 0, camera.height > 0 { video.size = (camera.width, camera.height) }
    if camera.distortion.count == 5, camera.distortion.contains(where: { $0 != 0 }) {
      let k = camera.distortion
      video.distortion = .rational(k1: k[0], k2: k[1], p1: k[3], p2: k[4], k3: k[2])
    }
    video.bodyFromCamera = place(camera, &target.report)
    if !camera.hasClock {
      target.report.find(
        "cameraClock", .note, "the phone does not say that frames and inertial unit are stamped by one clock",
        evidence: "timestamp_source is not REALTIME", remedy: "a run says where they differ: time_offset_cam_to_imu_s")
    }
    let readout = frames.filter { $0.readout > 0 }.map { Double($0.readout) }.median ?? 0
    if readout > 0 { video.readout = readout / 1e9 }
    target.report.decide(
      "frames are stamped in the middle of exposure\(readout > 0 ? " and readout (\(Words.fixed(readout / 1e6, 1)) ms)" : "")"
    )
    try video.write(
      frames.map { $0.time < 0 ? -1 : $0.time + $0.exposure / 2 + Int64(readout / 2) }, into: &target)
  }

  /// The camera in the device: as the phone says where that fits how its sensor is built in, else as it is built in.
  private func place(_ camera: Camera, _ report: inout ImportReport) -> Pose {
    let built = PhoneVideo.axes(orientation: Double(camera.orientation))
    var rotation = built
    if camera.turn.count == 4, Rotation.isUnit(camera.turn[3], Vector3(camera.turn[0], camera.turn[1], camera.turn[2]))
    {
      // Android's quaternion x, y, z, w takes the device's coordinates to the camera's.
      let stated = Rotation(w: camera.turn[3], x: camera.turn[0], y: camera.turn[1], z: camera.turn[2]).inverse
      let difference = (stated.inverse * built).log.norm * 180 / .pi
      if difference < 20 { rotation = stated }
      report.decide(
        "the phone states the camera's axes, \(Words.fixed(difference, 1)) degrees off its sensor's orientation of \(camera.orientation): "
          + (difference < 20 ? "taken" : "not taken"))
    }
    let hasPlace = camera.isPlacedByGyroscope && camera.place.count == 3
    if !hasPlace { report.decide("where the camera is on the phone is not stated: at the inertial unit") }
    return Pose(
      rotation: rotation, translation: hasPlace ? Vector3(camera.place[0], camera.place[1], camera.place[2]) : .zero)
  }
}

/// A message in the wire format of Protocol Buffers: its fields, in order.
struct ProtobufMessage {
  enum Value {
    case integer(UInt64)
    case bytes(ArraySlice<UInt8>)
    case float(Float)
    case double(Double)
  }

  private(set) var fields: [(number: Int, value: Value)] = []

  /// nil for bytes that are no message.
  init?(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while !rest.isEmpty {
      guard let tag = Self.varint(&rest), tag >> 3 > 0, tag >> 3 < 1 << 29 else { return nil }
      let number = Int(tag >> 3)
      switch tag & 7 {
      case 0:
        guard let value = Self.varint(&rest) else { return nil }
        fields.append((number, .integer(value)))
      case 1:
        guard rest.count >= 8 else { return nil }
        fields.append((number, .double(Double(bitPattern: Self.fixed(rest.prefix(8))))))
        rest = rest.dropFirst(8)
      case 2:
        guard let length = Self.varint(&rest), length <= UInt64(rest.count) else { return nil }
        fields.append((number, .bytes(rest.prefix(Int(length)))))
        rest = rest.dropFirst(Int(length))
      case 5:
        guard rest.count >= 4 else { return nil }
        fields.append((number, .float(Float(bitPattern: UInt32(Self.fixed(rest.prefix(4)))))))
        rest = rest.dropFirst(4)
      default: return nil
      }
    }
  }

  /// A number of up to ten bytes, seven bits each.
  static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard let byte = bytes.popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }

  private static func fixed(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The last whole number of a field.
  func integer(_ number: Int) -> Int64? {
    for field in fields.reversed() where field.number == number {
      if case .integer(let value) = field.value { return Int64(bitPattern: value) }
    }
    return nil
  }

  /// The bytes of a field.
  func bytes(_ number: Int) -> ArraySlice<UInt8>? {
    for field in fields.reversed() where field.number == number {
      if case .bytes(let value) = field.value { return value }
    }
    return nil
  }

  /// The finite floats of a repeated field, packed or not; nil where one is not finite.
  func floats(_ number: Int) -> [Double]? {
    var values: [Double] = []
    for field in fields where field.number == number {
      switch field.value {
      case .float(let value): values.append(Double(value))
      case .bytes(let packed):
        guard packed.count % 4 == 0 else { return nil }
        for start in stride(from: packed.startIndex, to: packed.endIndex, by: 4) {
          values.append(Double(Float(bitPattern: UInt32(Self.fixed(packed[start..<start + 4])))))
        }
      default: return nil
      }
    }
    return values.allSatisfy(\.isFinite) ? values : nil
  }
}

/// How the project's Python package is installed, which reads bags and videos.
enum PythonPackage {
  /// Where a Debian package puts its sources.
  private static let installed = "/usr/share/fuse/python"

  /// The command that installs it here.
  static var advice: String {
    if RegularFile.isFolder("tools/python/src/fusepy") { return "pip install ./tools/python" }
    if RegularFile.isFolder("\(installed)/src/fusepy") { return "pip install \(installed)" }
    return "pip install <the folder tools/python of fuse's sources>"
  }
}

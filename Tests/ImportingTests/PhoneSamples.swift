import Foundation
import Geometry
import SensorData

/// The walk, as phones' apps write it: the body is the phone.
enum PhoneSamples {
  private static func n(_ v: Double, _ digits: Int = 9) -> String { Walk.n(v, digits) }
  /// A phone's clock at the beginning, seconds since it was switched on.
  static let boot = 84_210.5

  /// ARKit's camera, in landscape, in a world with y up.
  private static func arkit(_ t: Double) -> Pose {
    ForeignSamples.yUp(Walk.pose(t) * Pose(rotation: ForeignSamples.deviceFromCamera))
  }

  private static func record3DPose(_ pose: Pose) -> String {
    "[\(Walk.n(pose.rotation.v)), \(n(pose.rotation.w)), \(Walk.n(pose.translation))]"
  }

  /// - Parameter begin: the pose that the others are relative to; nil: absolute ones, without `initPose`.
  static func record3D(_ folder: Folder, begin: Pose? = nil, named: String = "metadata.json") throws {
    let times = Walk.times(30)
    let poses = times.map { record3DPose((begin?.inverse ?? .identity) * arkit($0)) }
    let start = begin.map { ", \"initPose\": \(record3DPose($0))" } ?? ""
    try folder.write(
      named,
      "{\"w\": 720, \"h\": 960, \"fps\": 30, \"K\": [800, 0, 0, 0, 801, 0, 358, 475, 1]\(start), \"poses\": ["
        + poses.joined(separator: ", ") + "], \"frameTimestamps\": [\(times.map { n($0) }.joined(separator: ", "))]}")
    try ForeignSamples.phoneRanges(folder, start: 0)
  }

  static func mars(_ folder: Folder, sign: Double = 1) throws {
    var imu =
      "Timestamp[nanosec],gx[rad/s],gy[rad/s],gz[rad/s],ax[m/s^2],ay[m/s^2],az[m/s^2],Unix time[nanosec]\n"
    func stamp(_ t: Double, _ start: Double) -> Int64 { Int64((start * 1e9).rounded()) + Int64((t * 1e9).rounded()) }
    for t in Walk.times(100) {
      let (rate, force) = Walk.motion(t)
      imu += "\(stamp(t, boot)),\(Walk.n(rate)),\(Walk.n(sign * force)),\(stamp(t, Double(Walk.start)))\n"
    }
    try folder.write("gyro_accel.csv", imu)
    var frames = "",
      metadata =
        "Timestamp[nanosec],fx[px],fy[px],Frame No.,Exposure time[nanosec],Sensor frame duration[nanosec],"
        + "Frame readout time[nanosec],ISO,Focal length,Focus distance,AF mode,Unix time[nanosec]\n"
    for (k, t) in Walk.times(30).enumerated() {
      frames += "\(stamp(t, boot))\n"
      metadata +=
        "\(stamp(t, boot)),1000,1001,\(k),8000000,33333333,20000000,100,4.4,0.5,0,\(stamp(t, Double(Walk.start)))\n"
    }
    try folder.write("frame_timestamps.txt", frames)
    try folder.write("movie_metadata.csv", metadata)
    try ForeignSamples.phoneRanges(folder, start: Walk.start)
  }

  static func iosLogger(_ folder: Folder, start: Double = boot) throws {
    var accelerometer = "", gyroscope = "", poses = "", frames = ""
    for t in Walk.times(100) {
      let (rate, force) = Walk.motion(t)
      gyroscope += "\(n(start + t)),\(Walk.n(rate))\n"
      accelerometer += "\(n(start + t + 0.003)),\(Walk.n(-Walk.motion(t + 0.003).force / 9.80665))\n"
      _ = force
    }
    for (k, t) in Walk.times(30).enumerated() {
      let pose = arkit(t)
      poses += "\(n(start + t)),\(Walk.n(pose.translation)),\(n(pose.rotation.w)),\(Walk.n(pose.rotation.v))\n"
      frames += "\(n(start + t)),\(k),1500,1501,716,950\n"
    }
    try folder.write("Accel.txt", accelerometer)
    try folder.write("Gyro.txt", gyroscope)
    try folder.write("ARposes.txt", poses)
    try folder.write("Frames.txt", frames)
    try ForeignSamples.phoneRanges(folder, start: 0)
  }

  // MARK: - VideoIMUCapture

  private static func varint(_ value: UInt64) -> [UInt8] {
    var value = value, bytes: [UInt8] = []
    repeat {
      bytes.append(UInt8(value & 0x7F) | (value > 0x7F ? 0x80 : 0))
      value >>= 7
    } while value > 0
    return bytes
  }
  private static func integer(_ number: Int, _ value: Int64) -> [UInt8] {
    varint(UInt64(number) << 3) + varint(UInt64(bitPattern: value))
  }
  private static func message(_ number: Int, _ message: [UInt8]) -> [UInt8] {
    varint(UInt64(number) << 3 | 2) + varint(UInt64(message.count)) + message
  }
  private static func floats(_ number: Int, _ values: [Double]) -> [UInt8] {
    var bytes: [UInt8] = []
    for value in values {
      let bits = Float(value).bitPattern
      for shift in [UInt32(0), 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
    }
    return message(number, bytes)
  }

  /// - Parameter isWrapped: a message after the other, as newer versions write them; else one that holds all.
  static func videoIMU(_ folder: Folder, isWrapped: Bool = true, cutting: Int = 0) throws {
    let half = 0.5.squareRoot()
    var camera = floats(1, [1000, 1001, 640, 360, 0]) + floats(2, [0.1, 0.02, 0.003, 0.001, 0.002])
    camera += integer(6, 1) + integer(7, 1) + floats(8, [half, -half, 0, 0]) + floats(9, [0.01, 0.05, 0])
    camera += message(11, integer(1, 1280) + integer(2, 720)) + integer(14, 90)
    var messages: [(wrapped: Int, whole: Int, bytes: [UInt8])] = [(1, 2, camera)]
    func stamp(_ t: Double) -> Int64 { Int64((boot * 1e9).rounded()) + Int64((t * 1e9).rounded()) }
    for t in Walk.times(100) {
      let (w, a) = Walk.motion(t)
      messages.append((2, 4, integer(1, stamp(t)) + floats(2, [w.x, w.y, w.z]) + floats(4, [a.x, a.y, a.z])))
    }
    for (k, t) in Walk.times(30).enumerated() {
      messages.append(
        (
          4, 5,
          integer(1, stamp(t)) + integer(2, Int64(k + 5)) + integer(3, Int64(8_000_000)) + integer(5, Int64(20_000_000))
        ))
      // One frame did not get into the video.
      if isWrapped, k != 2 { messages.append((5, 0, integer(1, Int64(k) * 33_333) + integer(2, Int64(k + 5)))) }
    }
    var bytes: [UInt8] = []
    for message in messages {
      if isWrapped {
        let wrapper = Self.message(message.wrapped, message.bytes)
        bytes += varint(UInt64(wrapper.count)) + wrapper
      } else {
        bytes += Self.message(message.whole, message.bytes)
      }
    }
    try folder.write("video_meta.pb3", bytes: Array(bytes.dropLast(cutting)))
    try ForeignSamples.phoneRanges(folder, start: 0)
  }

  // MARK: - Zip and JSON

  /// The files of a folder in one zip file, stored or deflated (in blocks that are stored), below a folder of its own.
  static func zip(_ folder: Folder, to target: Folder, _ name: String, isDeflated: Bool = true, below: String = "")
    throws
  {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var body: [UInt8] = [], list: [UInt8] = []
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).sorted()
    var count = 0
    for file in files {
      guard let data = FileManager.default.contents(atPath: folder.path(file)) else { continue }
      let bytes = Array(data)
      var packed = bytes
      if isDeflated {
        packed = []
        for start in stride(from: 0, to: max(1, bytes.count), by: 65535) {
          let block = bytes[start..<min(bytes.count, start + 65535)]
          packed += [start + 65535 >= bytes.count ? 1 : 0] + little(block.count, 2)
          packed += little(~block.count & 0xFFFF, 2) + block
        }
      }
      let path = Array((below + file).utf8)
      var head = little(20, 2) + little(0, 2) + little(isDeflated ? 8 : 0, 2) + little(0, 4)
      head += little(Int(crc(bytes)), 4) + little(packed.count, 4) + little(bytes.count, 4)
      head += little(path.count, 2) + little(0, 2)
      list += [0x50, 0x4B, 1, 2] + little(20, 2) + head
      list += little(0, 10) + little(body.count, 4) + path
      body += [0x50, 0x4B, 3, 4] + head + path + packed
      count += 1
    }
    var end: [UInt8] = [0x50, 0x4B, 5, 6] + little(0, 4)
    end += little(count, 2) + little(count, 2) + little(list.count, 4) + little(body.count, 4) + little(0, 2)
    try target.write(name, bytes: body + list + end)
  }

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    var value: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
    return ~value
  }

  /// Sensor Logger's folder as its JSON: values are texts.
  static func sensorLoggerJSON(_ folder: Folder, to target: Folder, _ name: String) throws {
    var elements = [#"{"version":"3","sensor":"Metadata","platform":"ios","standardisation":"false"}"#]
    for sensor in ["Gyroscope", "Gravity", "Accelerometer"] {
      for row in try folder.text("\(sensor).csv").split(separator: "\n").dropFirst() {
        let c = row.split(separator: ",")
        elements.append(
          #"{"sensor":"\#(sensor)","time":"\#(c[0])","seconds_elapsed":"\#(c[1])","z":"\#(c[2])","y":"\#(c[3])","x":"\#(c[4])"}"#
        )
      }
    }
    elements.append(#"{"sensor":"Annotation","time":"1","text":"a \"{ brace"}"#)
    try target.write(name, "[\n" + elements.joined(separator: ",\n  ") + "\n]\n")
  }
}

extension Folder {
  func write(_ name: String, bytes: [UInt8]) throws { try Data(bytes).write(to: url.appendingPathComponent(name)) }
}

import Datasets
import Geometry

/// Which of the body's axes points ahead and which up: `{forward: x, up: z}`, or a name.
///
/// The device D that angles are counted in looks along -z with y up. Its origin is the body's.
package struct DeviceAxes: Equatable, Sendable {
  /// A signed axis of the body.
  private struct Axis: Equatable {
    var index: Int
    var isNegative: Bool

    init?(_ text: Substring) {
      var name = text.lowercased().trimmingSpaces()
      isNegative = name.first == "-"
      if name.first == "-" || name.first == "+" { name.removeFirst() }
      guard let index = ["x", "y", "z"].firstIndex(of: String(name)) else { return nil }
      self.index = index
    }

    var vector: Vector3 {
      let size: Double = isNegative ? -1 : 1
      return Vector3(index == 0 ? size : 0, index == 1 ? size : 0, index == 2 ? size : 0)
    }
  }

  /// The names, what a body has that goes by them, and its axes.
  private static let named: [(name: String, what: String, forward: String, up: String)] = [
    ("rep103", "ROS bodies, REP 103: x forward, y left, z up; also flu, ros, base_link", "x", "z"),
    ("frd", "PX4 and aircraft: x forward, y right, z down", "x", "-z"),
    ("rfu", "x right, y forward, z up", "y", "z"),
    ("android", "Android's sensors: looking at the screen x right, y up, z out of it; also ios", "-z", "y"),
    ("arkit", "ARKit's camera, which is in landscape, of a phone held upright", "-z", "-x"),
    ("optical", "a camera, ROS's optical frames, OpenCV: x right, y down, z forward; also opencv", "z", "-y"),
  ]
  private static let aliases = [
    "flu": "rep103", "ros": "rep103", "base_link": "rep103", "ios": "android", "phone": "android", "opencv": "optical",
    "camera": "optical", "px4": "frd", "enu": "rfu",
  ]

  /// What is accepted, for messages.
  package static var expected: String {
    "forward and up, two of x, y, z, -x, -y, -z (forward=x,up=z), or one of "
      + named.map(\.name).joined(separator: ", ")
  }

  /// The names with what they are, one a line.
  package static var names: [(name: String, what: String)] { named.map { ($0.name, $0.what) } }

  /// The device's axes in the body's.
  package let bodyFromDevice: Pose
  /// As it was stated.
  package let words: String

  /// Axes from a name, or `forward=x,up=z` (also `forward: x, up: z`, also in braces); nil for anything else.
  package init?(_ text: String) {
    let name = text.lowercased()
    if let known = Self.named.first(where: { $0.name == Self.aliases[name] ?? name }) {
      self.init(forward: known.forward, up: known.up, words: name)
      return
    }
    var values: [String: String] = [:]
    for part in text.split(separator: ",") {
      let halves = part.filter { !"{}".contains($0) }.split(whereSeparator: { $0 == ":" || $0 == "=" })
      guard halves.count == 2 else { return nil }
      values[halves[0].trimmingSpaces().lowercased()] = String(halves[1])
    }
    guard values.count == 2, let forward = values["forward"], let up = values["up"] else { return nil }
    self.init(forward: forward, up: up, words: nil)
  }

  /// Axes by the names of the body's; nil where they are none, or lie along one line.
  init?(forward: String, up: String, words: String? = nil) {
    guard let f = Axis(Substring(forward)), let u = Axis(Substring(up)), f.index != u.index else { return nil }
    let (ahead, above) = (f.vector, u.vector)
    bodyFromDevice = Pose(rotation: Rotation(matrix: Matrix3(columns: ahead.cross(above), above, -ahead)))
    let stated = "forward \(forward.trimmingSpaces()), up \(up.trimmingSpaces())"
    self.words = words.map { "\($0) (\(stated))" } ?? stated
  }

  /// The nearest statement to directions in the body's axes, and its name where it has one; nil where they lie more than
  /// 30 degrees from every axis.
  static func nearest(forward: Vector3, up: Vector3) -> String? {
    func axis(_ v: Vector3) -> String? {
      let values = [v.x, v.y, v.z]
      guard let index = values.indices.max(by: { abs(values[$0]) < abs(values[$1]) }), abs(values[index]) > 0.866
      else { return nil }
      return (values[index] < 0 ? "-" : "") + ["x", "y", "z"][index]
    }
    guard let f = axis(forward), let u = axis(up), f.last != u.last else { return nil }
    let name = named.first { $0.forward == f && $0.up == u }?.name
    return "{forward: \(f), up: \(u)}" + (name.map { ", which is \($0)" } ?? "")
  }
}

extension ImportMap {
  /// What the map says of the device: `device`, a name or `{forward, up}`, or `device_T_BS`; nil where it says nothing.
  func device() throws(DatasetError) -> (pose: Pose, words: String)? {
    let matrix = try file.pose("device_T_BS")
    guard file.keys.contains("device") else { return matrix.map { ($0, "device_T_BS") } }
    guard matrix == nil else {
      throw file.fault("device", found: "device beside device_T_BS", expected: "one of them")
    }
    let axes: DeviceAxes?, shown: String
    if file.hasSection("device"), let section = try file.section("device") {
      try Section(name: "device", file: section).check(["forward", "up"])
      let (forward, up) = (try section.text("forward") ?? "", try section.text("up") ?? "")
      shown = "device: {forward: \(forward), up: \(up)}"
      axes = DeviceAxes(forward: forward, up: up)
    } else {
      let name = try file.text("device") ?? ""
      shown = "device: \(name)"
      axes = DeviceAxes(name)
    }
    guard let axes else { throw file.fault("device", found: shown, expected: DeviceAxes.expected) }
    return (axes.bodyFromDevice, axes.words)
  }
}

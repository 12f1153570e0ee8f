import Foundation
import Geometry
import SensorData

/// A device that is carried about, known at every instant: what the foreign samples are written from.
struct Walk {
  /// Seconds since 1970 of its beginning.
  static let start = 1_700_000_000
  static let seconds = 14.0
  static let peers: [(id: String, place: Vector3)] = [
    ("1", Vector3(4, 1, 1.5)), ("2", Vector3(-2, 5, 0.4)), ("3", Vector3(1, -4, 2.2)),
  ]

  /// The body in a world with z up: at rest for two seconds, then it moves and turns about all axes.
  static func pose(_ t: Double) -> Pose {
    let s = max(0, t - 2)
    let ramp = s * s / (1 + s * s)
    let place = ramp * Vector3(1.2 * sin(0.7 * s), 0.9 * sin(1.1 * s), 0.3 * sin(1.7 * s)) + Vector3(0, 0, 1.2)
    let turn =
      Rotation.exp(Vector3(0, 0, ramp * 1.1 * sin(0.8 * s))) * Rotation.exp(Vector3(0, ramp * 0.5 * sin(1.3 * s), 0))
      * Rotation.exp(Vector3(ramp * 0.4 * sin(1.9 * s), 0, 0))
    return Pose(rotation: turn, translation: place)
  }

  /// Angular rate, rad/s, and specific force, m/s^2, in body axes.
  static func motion(_ t: Double, of pose: (Double) -> Pose = Walk.pose) -> (rate: Vector3, force: Vector3) {
    let h = 1e-3
    let (a, b, c) = (pose(t - h), pose(t), pose(t + h))
    let acceleration = (a.translation - 2 * b.translation + c.translation) / (h * h)
    return (
      (a.rotation.inverse * c.rotation).log / (2 * h), b.rotation.inverse * (acceleration + Vector3(0, 0, 9.81))
    )
  }

  /// Distance from an antenna in the body to a peer, metres.
  static func range(_ t: Double, _ peer: Vector3, antenna: Vector3 = .zero) -> Double {
    (pose(t) * antenna - peer).norm
  }

  /// Instants at a rate, seconds since the beginning.
  static func times(_ rate: Double) -> [Double] { (0..<Int(seconds * rate)).map { Double($0) / rate } }

  /// A number with enough digits.
  static func n(_ value: Double, _ digits: Int = 9) -> String { String(format: "%.\(digits)f", value) }
  static func n(_ v: Vector3) -> String { "\(n(v.x)),\(n(v.y)),\(n(v.z))" }
}

/// A folder of a test, gone with it.
final class Folder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-import-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  func write(_ name: String, _ text: String) throws {
    let file = url.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: path(name))), as: UTF8.self)
  }

  /// Names and texts of all files.
  func contents() throws -> [String: String] {
    var contents: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: url.path) {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path(name), isDirectory: &isFolder), !isFolder.boolValue else {
        continue
      }
      contents[name] = try text(name)
    }
    return contents
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

  /// Changes one line, counted from 1.
  func line(_ name: String, _ number: Int, _ change: (String) -> String) throws {
    var lines = try text(name).components(separatedBy: "\n")
    lines[number - 1] = change(lines[number - 1])
    try write(name, lines.joined(separator: "\n"))
  }

  /// Changes every row below the header.
  func rows(_ name: String, _ change: ([String]) -> [String]) throws {
    var lines = try text(name).components(separatedBy: "\n")
    for k in lines.indices.dropFirst() where !lines[k].isEmpty {
      lines[k] = change(lines[k].components(separatedBy: ",")).joined(separator: ",")
    }
    try write(name, lines.joined(separator: "\n"))
  }

  /// Changes one cell of one line; both counted from 1.
  func cell(_ name: String, _ number: Int, _ column: Int, _ value: String) throws {
    try line(name, number) { row in
      var cells = row.components(separatedBy: ",")
      cells[column - 1] = value
      return cells.joined(separator: ",")
    }
  }

  func replace(_ name: String, _ old: String, _ new: String) throws {
    let before = try text(name)
    precondition(before.contains(old), "\(name) does not hold '\(old)'")
    try write(name, before.replacingOccurrences(of: old, with: new))
  }
}

import Datasets
import Foundation
import Geometry
import JSONText
import RunResults
import SensorData

/// What Foxglove shows of a run, message by message, from a file or live.
package struct FoxgloveMessages {
  /// A topic with the form of its messages.
  package struct Topic: Hashable, Sendable {
    package var name: String
    package var schemaName: String
    package var schema: String
  }

  /// A message.
  package struct Message {
    package var topic: Topic
    package var time: Timestamp
    /// JSON.
    package var bytes: [UInt8]

    init(_ topic: Topic, _ time: Timestamp, _ value: JSONValue) {
      (self.topic, self.time) = (topic, time)
      bytes = value.bytes
    }

    init(_ topic: Topic, _ time: Timestamp, bytes: [UInt8]) {
      (self.topic, self.time, self.bytes) = (topic, time, bytes)
    }
  }

  package static let transforms = Topic(
    name: "/tf", schemaName: "foxglove.FrameTransforms", schema: FoxgloveSchemas.frameTransforms)
  package static let path = Topic(
    name: "/path", schemaName: "foxglove.PosesInFrame", schema: FoxgloveSchemas.posesInFrame)
  package static let updates = Topic(name: "/updates", schemaName: "fuse.Update", schema: FoxgloveSchemas.update)
  package static let peers = Topic(
    name: "/peers", schemaName: "foxglove.SceneUpdate", schema: FoxgloveSchemas.sceneUpdate)
  package static let log = Topic(name: "/log", schemaName: "foxglove.Log", schema: FoxgloveSchemas.log)

  /// What a camera tracks, over its image.
  package static func tracks(camera: Int) -> Topic {
    Topic(
      name: "/cam\(camera)/tracks", schemaName: "foxglove.ImageAnnotations", schema: FoxgloveSchemas.imageAnnotations)
  }

  private var said: [String: String] = [:]

  /// Messages from the beginning.
  package init() {}

  /// Device and cameras on the body.
  package static func rig(_ rig: RigCalibration, at time: Timestamp) -> Message {
    var fixed = [("device", rig.bodyFromDevice)]
    for (number, camera) in rig.cameras.enumerated() { fixed.append(("cam\(number)", camera.bodyFromCamera)) }
    return Message(
      transforms, time, ["transforms": .array(fixed.map { Scene.transform($0.1, "body", $0.0, time) })])
  }

  /// The body in the world.
  package static func pose(_ worldFromBody: Pose, at time: Timestamp) -> Message {
    Message(transforms, time, ["transforms": .array([Scene.transform(worldFromBody, "world", "body", time)])])
  }

  /// A path as one line.
  package static func path(_ poses: [Pose], at time: Timestamp) -> Message {
    Message(
      path, time,
      [
        "timestamp": Scene.time(time), "frame_id": .string("world"), "poses": .array(poses.map { Scene.pose($0) }),
      ])
  }

  /// What a frame's camera tracks; nil where that is nothing.
  package static func tracks(_ frame: CameraFrame) -> Message? {
    frame.features.isEmpty ? nil : Message(tracks(camera: frame.camera), frame.timestamp, Scene.tracks(frame))
  }

  /// An update, with its line; `device`: where the device is in the world.
  package mutating func update(_ update: UpdateRecord, line: [UInt8], device: Vector3?) -> [Message] {
    var messages = [Message(Self.updates, update.timestamp, bytes: line)]
    if let peer = update.peer {
      messages.append(Message(Self.peers, update.timestamp, Scene.peer(peer, update, device: device)))
    }
    let name = update.peer ?? "session"
    let words = ([update.status] + update.reasons).joined(separator: " ") + (update.guidance.map { ": \($0)" } ?? "")
    guard said[name] != words else { return messages }
    said[name] = words
    messages.append(
      Message(
        Self.log, update.timestamp,
        [
          "timestamp": Scene.time(update.timestamp), "level": .integer(2), "message": .string(words),
          "name": .string(name), "file": .string(""), "line": .integer(0),
        ]))
    return messages
  }
}

/// JSON schemas of the messages that Foxglove draws, as far as they are used here, and of the project's own.
/// Source of the names and fields: Foxglove's message schemas, https://docs.foxglove.dev/docs/visualization/message-schemas.
enum FoxgloveSchemas {
  private static let time =
    #"{"type":"object","title":"time","properties":{"sec":{"type":"integer","minimum":0},"nsec":{"type":"integer","minimum":0,"maximum":999999999}}}"#
  private static let duration =
    #"{"type":"object","title":"duration","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer","minimum":0,"maximum":999999999}}}"#
  private static let number = #"{"type":"number"}"#
  private static let text = #"{"type":"string"}"#
  private static let vector = object("foxglove.Vector3", [("x", number), ("y", number), ("z", number)])
  private static let quaternion = object(
    "foxglove.Quaternion", [("x", number), ("y", number), ("z", number), ("w", number)])
  private static let pose = object("foxglove.Pose", [("position", vector), ("orientation", quaternion)])
  private static let color = object("foxglove.Color", [("r", number), ("g", number), ("b", number), ("a", number)])

  private static func object(_ title: String, _ properties: [(String, String)]) -> String {
    let members = properties.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
    return "{\"title\":\"\(title)\",\"type\":\"object\",\"properties\":{\(members)}}"
  }

  private static func array(_ items: String) -> String { "{\"type\":\"array\",\"items\":\(items)}" }

  static let frameTransforms = object(
    "foxglove.FrameTransforms",
    [
      (
        "transforms",
        array(
          object(
            "foxglove.FrameTransform",
            [
              ("timestamp", time), ("parent_frame_id", text), ("child_frame_id", text), ("translation", vector),
              ("rotation", quaternion),
            ]))
      )
    ])

  static let posesInFrame = object(
    "foxglove.PosesInFrame", [("timestamp", time), ("frame_id", text), ("poses", array(pose))])

  static let sceneUpdate: String = {
    let pair = array(object("foxglove.KeyValuePair", [("key", text), ("value", text)]))
    let arrow = object(
      "foxglove.ArrowPrimitive",
      [
        ("pose", pose), ("shaft_length", number), ("shaft_diameter", number), ("head_length", number),
        ("head_diameter", number), ("color", color),
      ])
    let sphere = object("foxglove.SpherePrimitive", [("pose", pose), ("size", vector), ("color", color)])
    let cylinder = object(
      "foxglove.CylinderPrimitive",
      [("pose", pose), ("size", vector), ("bottom_scale", number), ("top_scale", number), ("color", color)])
    let label = object(
      "foxglove.TextPrimitive",
      [
        ("pose", pose), ("billboard", #"{"type":"boolean"}"#), ("font_size", number),
        ("scale_invariant", #"{"type":"boolean"}"#), ("color", color), ("text", text),
      ])
    let anything = #"{"type":"array"}"#
    let entity = object(
      "foxglove.SceneEntity",
      [
        ("timestamp", time), ("frame_id", text), ("id", text), ("lifetime", duration),
        ("frame_locked", #"{"type":"boolean"}"#), ("metadata", pair), ("arrows", array(arrow)), ("cubes", anything),
        ("spheres", array(sphere)), ("cylinders", array(cylinder)), ("lines", anything), ("triangles", anything),
        ("texts", array(label)), ("models", anything),
      ])
    let deletion = object(
      "foxglove.SceneEntityDeletion", [("timestamp", time), ("type", #"{"type":"integer"}"#), ("id", text)])
    return object("foxglove.SceneUpdate", [("deletions", array(deletion)), ("entities", array(entity))])
  }()

  static let log = object(
    "foxglove.Log",
    [
      ("timestamp", time), ("level", #"{"type":"integer"}"#), ("message", text), ("name", text), ("file", text),
      ("line", #"{"type":"integer"}"#),
    ])

  static let compressedImage = object(
    "foxglove.CompressedImage",
    [
      ("timestamp", time), ("frame_id", text), ("data", #"{"type":"string","contentEncoding":"base64"}"#),
      ("format", text),
    ])

  static let cameraCalibration = object(
    "foxglove.CameraCalibration",
    [
      ("timestamp", time), ("frame_id", text), ("width", #"{"type":"integer"}"#), ("height", #"{"type":"integer"}"#),
      ("distortion_model", text), ("D", array(number)), ("K", array(number)), ("R", array(number)),
      ("P", array(number)),
    ])

  static let imageAnnotations: String = {
    let point = object("foxglove.Point2", [("x", number), ("y", number)])
    let points = object(
      "foxglove.PointsAnnotation",
      [
        ("timestamp", time), ("type", #"{"type":"integer"}"#), ("points", array(point)), ("outline_color", color),
        ("outline_colors", array(color)), ("fill_color", color), ("thickness", number),
      ])
    return object(
      "foxglove.ImageAnnotations",
      [("circles", #"{"type":"array"}"#), ("points", array(points)), ("texts", #"{"type":"array"}"#)])
  }()

  /// One line of `updates.jsonl`, as it is there; docs/formats.md has its keys.
  static let update =
    #"{"title":"fuse.Update","type":"object","properties":{"timestamp":{"type":"integer"},"peer":{"type":["string","null"]},"distance":{"type":["number","null"]},"distanceStd":{"type":["number","null"]},"direction":{"type":["array","null"]},"horizontalAngle":{"type":["number","null"]},"horizontalAngleStd":{"type":["number","null"]},"horizontalAngleInterval":{"type":["array","null"]},"verticalDirectionEstimate":{"type":["string","null"]},"worldTransform":{"type":["array","null"]},"positionCovariance":{"type":["array","null"]},"quality":{"type":["string","null"]},"convergence":{"type":"object"},"guidance":{"type":["string","null"]},"details":{"type":"object"}}}"#

  static let range =
    #"{"title":"fuse.Range","type":"object","properties":{"timestamp":{"type":"integer"},"peer":{"type":"string"},"range":{"type":"number"},"antenna":{"type":["string","null"]}}}"#

  static let imu =
    #"{"title":"fuse.IMU","type":"object","properties":{"timestamp":{"type":"integer"},"angular_velocity":{"type":"array","items":{"type":"number"}},"specific_force":{"type":"array","items":{"type":"number"}}}}"#
}

/// A layout of Foxglove for an exported run: world, distances and angles, log, image with tracks.
package enum FoxgloveLayout {
  /// The layout's text, JSON.
  package static func text(peers: [String], hasImages: Bool) -> String {
    func series(_ path: String) -> JSONValue {
      .array(
        peers.map { peer in
          [
            "value": .string("/updates{peer==\"\(peer)\"}.\(path)"), "enabled": .bool(true),
            "timestampMethod": .string("receiveTime"), "label": .string(peer),
          ]
        })
    }
    func plot(_ title: String, _ path: String) -> JSONValue {
      [
        "title": .string(title), "paths": series(path), "showXAxisLabels": .bool(true),
        "showYAxisLabels": .bool(true), "showLegend": .bool(true), "legendDisplay": .string("floating"),
        "xAxisVal": .string("timestamp"), "isSynced": .bool(true),
      ]
    }
    let shown: JSONValue = ["visible": .bool(true)]
    var panels: [String: JSONValue] = [
      "3D!world": [
        "followMode": .string("follow-none"), "fixedFrame": .string("world"), "followTf": .string("world"),
        "topics": ["/path": shown, "/peers": shown], "transforms": ["frame:body": shown, "frame:device": shown],
        "layers": ["grid": ["layerId": .string("foxglove.Grid"), "visible": .bool(true), "size": .number(20)]],
      ],
      "Plot!distance": plot("distance [m]", "distance"),
      "Plot!angle": plot("horizontal angle [rad]", "horizontalAngle"),
      "Log!log": ["searchTerms": .array([]), "minLogLevel": .integer(1), "topicToRender": .string("/log")],
    ]
    if hasImages {
      panels["Image!cam0"] = [
        "imageMode": [
          "imageTopic": .string("/cam0/image"), "calibrationTopic": .string("/cam0/calibration"),
          "annotations": ["/cam0/tracks": shown],
        ]
      ]
    }
    func split(_ direction: String, _ first: JSONValue, _ second: JSONValue, _ share: Double) -> JSONValue {
      [
        "direction": .string(direction), "first": first, "second": second, "splitPercentage": .number(share),
      ]
    }
    let left = hasImages ? split("column", .string("3D!world"), .string("Image!cam0"), 60) : .string("3D!world")
    let right = split(
      "column", split("column", .string("Plot!distance"), .string("Plot!angle"), 50), .string("Log!log"), 70)
    let document: JSONValue = [
      "configById": .sorted(panels), "globalVariables": .object([]), "userNodes": .object([]),
      "playbackConfig": ["speed": .number(1)], "layout": split("row", left, right, 60),
    ]
    return String(decoding: document.prettyBytes, as: UTF8.self) + "\n"
  }
}

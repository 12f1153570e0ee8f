import Datasets
import Foundation
import Geometry
import JSONText
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
      var buffer = JSONWriter()
      buffer.value(value)
      bytes = buffer.bytes
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

import Datasets
import Foundation
import Geometry
import JSONText
import RunResults
import SensorData

/// A run as an MCAP file for Foxglove: transforms, path, peers with their uncertainty, updates, log; with its recording
/// also ranges, inertial readings, images and tracks.
package struct MCAPExport {
  private let run: RunFolder
  private let recording: Recording?

  /// - Parameter recording: the run's dataset folder; nil: only what the run's own folder has.
  ///
  /// - Throws: `DatasetError`.
  package init(run path: String, recording: String?) throws(DatasetError) {
    run = try RunFolder(path: path)
    var options = ReadingOptions()
    options.needsTrajectory = false
    self.recording = try recording.map { path throws(DatasetError) in
      try Recording.open(URL(fileURLWithPath: path), options: options)
    }
  }

  /// Where the run says that its recording is, if it is still there.
  package static func recording(ofRun path: String) -> String? {
    guard let found = (try? RunFolder(path: path))?.recordingPath, FileManager.default.fileExists(atPath: found) else {
      return nil
    }
    return found
  }

  /// Writes the file; the same run, the same bytes. The caller commits it.
  ///
  /// - Returns: how many messages each topic has.
  @discardableResult
  package func write(to file: OutputFile) throws -> [String: Int] {
    let writer = try MCAPWriter(file)
    var topics = Topics(writer)
    guard let first = [run.poses.first?.timestamp, run.updates.first?.timestamp].compactMap({ $0 }).min() else {
      throw DatasetError(file: run.path, found: "no pose and no update", expected: "a run that has some")
    }
    guard first.nanoseconds >= 0 else {
      throw DatasetError(
        file: run.path, found: "stamps before 0 (\(first.nanoseconds) ns)",
        expected: "stamps that MCAP can hold: from 0")
    }
    try writePath(&topics, first)
    try writePoses(&topics)
    try writeUpdates(&topics)
    if let recording { try write(recording, &topics) }
    try writer.finish()
    return topics.counts
  }

  // MARK: - The run

  /// Most poses of the path that is drawn as one line.
  private static let longestPath = 5000

  private func writePath(_ topics: inout Topics, _ first: Timestamp) throws {
    let step = max(1, (run.poses.count + Self.longestPath - 1) / Self.longestPath)
    let poses = stride(from: 0, to: run.poses.count, by: step).map { run.poses[$0].worldFromBody }
    try topics.add(FoxgloveMessages.path(poses, at: first))
  }

  private func writePoses(_ topics: inout Topics) throws {
    if let rig = recording?.rig, let first = run.poses.first {
      try topics.add(FoxgloveMessages.rig(rig, at: first.timestamp))
    }
    for pose in run.poses { try topics.add(FoxgloveMessages.pose(pose.worldFromBody, at: pose.timestamp)) }
  }

  private func writeUpdates(_ topics: inout Topics) throws {
    var next = 0
    var messages = FoxgloveMessages()
    for update in run.updates {
      while next + 1 < run.poses.count, run.poses[next + 1].timestamp <= update.timestamp { next += 1 }
      let device = run.poses.isEmpty ? nil : run.poses[next].worldFromBody.translation
      var line = JSONWriter()
      update.write(to: &line)
      for message in messages.update(update, line: Array(line.bytes.dropLast()), device: device) {
        try topics.add(message)
      }
    }
  }

  // MARK: - Its recording

  private func write(_ recording: Recording, _ topics: inout Topics) throws {
    let events = try recording.events()
    var inertial = 0
    while let event = try events.next()?.event {
      let time = event.timestamp
      guard time.nanoseconds >= 0 else { continue }
      switch event {
      case .range(let range):
        try topics.add(
          "/ranges/\(range.peer)", "fuse.Range", FoxgloveSchemas.range,
          [
            "timestamp": .integer(Int(time.nanoseconds)), "peer": .string(range.peer), "range": .number(range.range),
            "antenna": .string(range.antenna),
          ], at: time)
      case .imu(let sample):
        inertial += 1
        let (w, a) = (sample.angularVelocity, sample.specificForce)
        try topics.add(
          "/imu0", "fuse.IMU", FoxgloveSchemas.imu,
          [
            "timestamp": .integer(Int(time.nanoseconds)),
            "angular_velocity": .array([.number(w.x), .number(w.y), .number(w.z)]),
            "specific_force": .array([.number(a.x), .number(a.y), .number(a.z)]),
          ], at: time)
      case .frame(let frame):
        if let message = FoxgloveMessages.tracks(frame) { try topics.add(message) }
      case .odometry, .device: break
      }
    }
    try writeImages(recording, &topics)
  }

  private func writeImages(_ recording: Recording, _ topics: inout Topics) throws {
    for (number, camera) in recording.rig.cameras.enumerated() {
      guard let images = try recording.imageFiles(camera: number), let first = images.first else { continue }
      try topics.add(
        "/cam\(number)/calibration", "foxglove.CameraCalibration", FoxgloveSchemas.cameraCalibration,
        Scene.calibration(camera, "cam\(number)", Timestamp(nanoseconds: first.time)),
        at: Timestamp(nanoseconds: first.time))
      for image in images where image.time >= 0 {
        guard let data = FileManager.default.contents(atPath: image.path) else { continue }
        let time = Timestamp(nanoseconds: image.time)
        try topics.add(
          "/cam\(number)/image", "foxglove.CompressedImage", FoxgloveSchemas.compressedImage,
          [
            "timestamp": Scene.time(time), "frame_id": .string("cam\(number)"),
            "data": .string(data.base64EncodedString()),
            "format": .string(data.first == 0xFF ? "jpeg" : "png"),
          ], at: time)
      }
    }
  }
}

/// Topics of a file, opened when they are first used.
private struct Topics {
  private let writer: MCAPWriter
  private var channels: [String: MCAPWriter.Channel] = [:]
  private(set) var counts: [String: Int] = [:]

  init(_ writer: MCAPWriter) { self.writer = writer }

  mutating func add(_ message: FoxgloveMessages.Message) throws {
    try add(message.topic.name, message.topic.schemaName, message.topic.schema, message.bytes, at: message.time)
  }

  mutating func add(_ topic: String, _ name: String, _ schema: String, _ message: JSONValue, at time: Timestamp) throws
  {
    try add(topic, name, schema, message.bytes, at: time)
  }

  mutating func add(_ topic: String, _ name: String, _ schema: String, _ message: [UInt8], at time: Timestamp) throws {
    let channel = channels[topic] ?? writer.addChannel(topic, schema: name, schema)
    channels[topic] = channel
    counts[topic, default: 0] += 1
    try writer.add(message, to: channel, at: UInt64(max(0, time.nanoseconds)))
  }
}

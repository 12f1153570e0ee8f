import Datasets
import Evaluation
import Foundation
import Geometry
import JSONText
import Report
import RunResults
import SensorData

/// A synthetic run. The true device lies flat, its top edge along +y, and moves ahead at 0.1 m/s; the peer is at (0, 4,
/// 0). The estimate is the same in another world.
package struct HandMadeRun {
  /// The estimate's world from the truth's.
  package static let worldFromTruth = Pose(rotation: .yaw(1), translation: Vector3(7, 8, 9))
  package static let peerPosition = Vector3(0, 4, 0)

  package var peer: String
  package var updates: [UpdateRecord] = []
  package var seconds = 10
  package var hasTruth = true
  package var hasPoses = true
  package var knowsDevice = true
  package var name = "by hand"
  package var result: JSONValue = [
    "title": "made by hand", "start": 0, "configuration": ["strict": .bool(false)], "verdict": RunVerdict([]).json,
  ]

  package init(peer: String = "tag") { self.peer = peer }

  package static func time(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: 0).advanced(bySeconds: seconds) }

  package static func truePose(_ seconds: Double) -> Pose { Pose(translation: Vector3(0, 0.1 * seconds, 0)) }

  /// An update that publishes the truth, off by `error` metres in the truth's axes.
  package func update(_ seconds: Double, error: Vector3 = .zero, covariance: Matrix3 = 0.01 * .identity) -> UpdateRecord
  {
    var record = UpdateRecord(timestamp: Self.time(seconds), peer: peer, status: "converged")
    record.distance = 4 - 0.1 * seconds
    record.distanceStandardDeviation = 0.1
    record.horizontalAngle = .init(value: 0, standardDeviation: 0.05, low: -0.1, high: 0.1)
    record.verticalDirectionEstimate = "same"
    record.worldPosition = Self.worldFromTruth * (Self.peerPosition + error)
    let rotation = Self.worldFromTruth.rotation.matrix
    record.positionCovariance = rotation * covariance * rotation.transpose
    record.quality = "precise"
    return record
  }

  /// Writes the run, reads it back and evaluates it.
  package func input() throws -> ReportInput {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-report-test-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = try OutputFolder(path: folder.path)
    let moments = (0...(10 * seconds)).map { 0.1 * Double($0) }
    let covariance = PoseCovariance(rotation: 0.01 * .identity, position: 0.01 * .identity)
    if hasPoses {
      for moment in moments {
        let pose = Self.worldFromTruth * Self.truePose(moment)
        try output.write(Self.time(moment), worldFromBody: pose, covariance: covariance)
      }
    }
    for update in updates { try output.write(update) }
    try output.commit(result: result, timing: ["wallSeconds": 1])
    let run = try RunFolder(path: folder.path)
    let states = moments.map { GroundTruthState(timestamp: Self.time($0), worldFromBody: Self.truePose($0)) }
    let truth = TruthTrajectory(hasTruth ? states : [])
    let truePeers = TruthPeers(
      hasTruth ? [GroundTruthPeer(timestamp: Self.time(0), peer: peer, position: Self.peerPosition)] : [])
    var judge = Judge(truth: truth, peers: truePeers, bodyFromDevice: .identity)
    let poses = try PoseReader(folder: folder.path)
    while let pose = try poses.next() {
      judge.record(pose.timestamp, worldFromBody: pose.worldFromBody, covariance: pose.covariance)
    }
    for update in run.updates {
      guard let peer = update.peer else { continue }
      judge.record(
        JudgedUpdate(
          timestamp: update.timestamp, distance: update.distance,
          distanceStandardDeviation: update.distanceStandardDeviation, horizontalAngle: update.horizontalAngle?.value,
          horizontalAngleInterval: update.horizontalAngle.flatMap { $0.low <= $0.high ? $0.low...$0.high : nil },
          worldPosition: update.worldPosition, positionCovariance: update.positionCovariance, status: update.status,
          reasons: update.reasons), peer: peer)
    }
    return ReportInput(
      run: run, name: name, version: "0", bodyFromDevice: knowsDevice ? .identity : nil, truth: truth,
      truePeers: truePeers, errors: judge.errors())
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// Text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A whole number.
  public init(integerLiteral value: Int) { self = .integer(value) }
}

extension JSONValue {
  /// The value at a path of names and indices.
  package func at(_ path: any Sendable...) -> JSONValue? {
    path.reduce(self as JSONValue?) { value, step in
      if let name = step as? String { return value?[name] }
      guard case .array(let list)? = value, let index = step as? Int, list.indices.contains(index) else { return nil }
      return list[index]
    }
  }

  /// The numbers of a list; nil where there is null.
  package var numbers: [Double?] {
    guard case .array(let list) = self else { return [] }
    return list.map(\.double)
  }
}

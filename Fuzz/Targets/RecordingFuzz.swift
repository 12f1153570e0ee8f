import Datasets
import Foundation
import SensorData
import Simulation

/// A recording of which the input is one file: the first byte says which.
enum RecordingFuzz {
  private static let identity = "T_BS: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]\n"
  private static let poseHeader =
    "#timestamp [ns],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []\n"
  private static let imuHeader =
    "#timestamp [ns],w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],"
    + "a_RS_S_z [m s^-2]\n"

  /// Whole files by name.
  private static let sound: [(name: String, text: String)] = [
    ("mav0/imu0/data.csv", imuHeader + (1...4).map { "\($0)000000,0.1,0,0,0,0,9.8\n" }.joined()),
    ("mav0/cam0/features.csv", "#timestamp [ns],feature_id [],u [px],v [px]\n1000000,1,10,20\n1000000,2,30,40\n"),
    ("mav0/cam0/frames.csv", "#timestamp [ns],mean_luma []\n1000000,0.5\n"),
    ("mav0/uwb0/data.csv", "#timestamp [ns],peer_id [],range [m],antenna_id []\n1000000,tag,3.5,a\n"),
    ("mav0/odometry0/data.csv", poseHeader + "1000000,0,0,0,1,0,0,0\n"),
    ("mav0/events0/data.csv", "#timestamp [ns],event [],peer_id []\n1000000,moving,tag\n"),
    ("mav0/state_groundtruth_estimate0/data.csv", poseHeader + "1000000,0,0,0,1,0,0,0\n"),
    ("mav0/peers_groundtruth0/data.csv", "#timestamp [ns],peer_id [],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m]\n1,tag,1,2,3\n"),
    (
      "mav0/imu0/sensor.yaml",
      identity + "gyroscope_noise_density: 0.001\ngyroscope_random_walk: 0.0001\naccelerometer_noise_density: 0.01\n"
        + "accelerometer_random_walk: 0.001\n"
    ),
    (
      "mav0/cam0/sensor.yaml",
      identity + "resolution: [640, 480]\nintrinsics: [400, 400, 320, 240]\ndistortion_model: none\n"
    ),
    ("mav0/uwb0/sensor.yaml", "antennas: {a: [0, 0, 0]}\nrange_bias: {peers: {tag: 0.1}}\n"),
    ("mav0/odometry0/sensor.yaml", identity), ("dataset.yaml", "title: t\n"),
  ]
  private static let tableCount = 8

  private nonisolated(unsafe) static var isWritten = false

  /// Tables.
  static func tables(_ bytes: [UInt8]) { read(bytes, among: 0..<tableCount) }

  /// Calibrations; and scenarios, which are read whole.
  static func yaml(_ bytes: [UInt8]) {
    let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
    _ = try? YAMLText.compose(text)
    _ = try? Scenario(yaml: text, file: "scenario.yaml")
    read(bytes, among: tableCount..<sound.count)
  }

  private static func read(_ bytes: [UInt8], among files: Range<Int>) {
    guard let first = bytes.first else { return }
    if !isWritten {
      for (name, text) in sound { FuzzFolder.write(name, Array(text.utf8)) }
      isWritten = true
    }
    let (name, text) = sound[files.lowerBound + Int(first) % files.count]
    FuzzFolder.write(name, Array(bytes.dropFirst()))
    defer { FuzzFolder.write(name, Array(text.utf8)) }
    for usesOdometry in [nil, true] as [Bool?] {
      guard
        let recording = try? Recording.open(
          URL(fileURLWithPath: FuzzFolder.path), options: ReadingOptions(usesOdometry: usesOdometry))
      else { continue }
      _ = try? recording.lastTimestamp()
      guard let events = try? recording.events() else { continue }
      while let event = try? events.next() { precondition(event.event.isFinite) }
      if let states = try? recording.groundTruthStates() {
        while let state = try? states.next() {
          precondition(state.worldFromBody.translation.isFinite && state.worldFromBody.rotation.v.isFinite)
        }
      }
      if let peers = try? recording.groundTruthPeers() {
        while let peer = try? peers.next() { precondition(peer.position.isFinite) }
      }
    }
  }
}

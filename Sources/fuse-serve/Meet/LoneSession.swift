import Dispatch
import Foundation
import NearbyInteraction
import RecordedDevices

/// A session on a recording, with a peer that exists only there.
struct LoneSession {
  /// The recording.
  var folder: String
  /// The peer; nil: the first.
  var peer: String?

  /// Plays it, and prints an app's delegate calls.
  func run() async throws {
    let first = try peer ?? RecordedDevice(folder: URL(fileURLWithPath: folder)).peers.first
    guard let peer = first else { throw CommandError("\(folder): no ranges, expected those to a peer") }
    let phone = try RecordedDevice.named(folder, with: peer)
    let reporter = MeetingReporter(peer: peer)
    let session = NISession(device: phone.device)
    session.delegate = reporter
    session.delegateQueue = DispatchQueue(label: "session")
    try await phone.play(session, with: phone.device.token(forPeer: peer))
    session.invalidate()
  }
}

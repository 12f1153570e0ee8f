import Dispatch
import Foundation
import NearbyInteraction
import PeerDiscovery
import RecordedDevices

/// One end of a meeting of two processes.
struct Meeting {
  /// This end's recording.
  var folder: String
  /// The name of this end.
  var name: String
  /// The name of the other end.
  var peer: String
  /// Timeout for the other end, seconds.
  var patience: Double

  /// Where to look for it.
  var reach: PeerNetwork.Reach

  /// Meets, plays, and prints both ends' last distance.
  func run() async throws {
    let phone = try RecordedDevice.named(folder, with: peer)
    let network = try await PeerNetwork.join(as: name, reach: reach)
    let deadline = Deadline(seconds: patience)
    let connection = try await meet(network, deadline)
    let reporter = MeetingReporter(peer: peer)
    let session = NISession(device: phone.device)
    session.delegate = reporter
    session.delegateQueue = DispatchQueue(label: "session")
    try await connection.send(JSONEncoder().encode(session.discoveryToken))
    let theirs = try await next(connection, as: NIDiscoveryToken.self)
    phone.device.bind(theirs, toPeer: peer)
    try await phone.play(session, with: theirs)

    guard let distance = reporter.distance else { throw CommandError("\(folder): no distance to \(peer)") }
    try await connection.send(JSONEncoder().encode(distance))
    let other = try await next(connection, as: Float.self)
    print(String(format: "%@: %.2f m, %@: %.2f m", name, distance, peer, other))
    await connection.close()
    await network.leave()
  }

  /// The end whose name sorts first invites; the other waits for the invitation.
  private func meet(_ network: PeerNetwork, _ deadline: Deadline) async throws -> PeerConnection {
    guard name < peer else {
      let invited = await deadline.first(of: network.invitations) { $0.peer == peer }
      guard let invited else { throw CommandError("no invitation from \(peer)") }
      return invited
    }
    if let connection = try await network.connect(to: peer, within: patience) { return connection }
    throw CommandError("nobody called \(peer) answers")
  }

  /// The other end's next message, within its patience.
  private func next<T: Decodable>(_ connection: PeerConnection, as type: T.Type) async throws -> T {
    guard let message = try await connection.message(within: patience) else { throw CommandError("\(peer) hung up") }
    do { return try JSONDecoder().decode(T.self, from: message) } catch {
      throw CommandError("\(peer) sent something else than expected")
    }
  }
}

extension RecordedDevice {
  /// The device of a recording that has ranges to a peer.
  static func named(_ folder: String, with peer: String) throws -> RecordedDevice {
    let phone = try RecordedDevice(folder: URL(fileURLWithPath: folder))
    guard phone.peers.contains(peer) else {
      throw CommandError("\(folder): no ranges to \(peer), only to: \(phone.peers.joined(separator: " "))")
    }
    return phone
  }

  /// Runs a session with the peer of a token while the recording plays.
  func play(_ session: NISession, with token: NIDiscoveryToken) async throws {
    let configuration = NINearbyPeerConfiguration(peerToken: token)
    configuration.isCameraAssistanceEnabled = device.profile.capabilities.contains(.cameraAssistance)
    session.run(configuration)
    let world = World()
    world.add(device, playing: source)
    try await world.play()
  }
}

import ArgumentParser
import Dispatch
import Foundation
import NearbyInteraction
import PeerDiscovery
import RecordedDevices
import SensorData
import ServiceArguments

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

/// `fuse meet <folder>`.
struct MeetCommand: AsyncParsableCommand {
  static let configuration = MeetArguments.configuration

  @OptionGroup var arguments: MeetArguments

  func run() async throws {
    try await Failure.reporting {
      guard let name = arguments.name, let peer = arguments.peer else {
        return try await LoneSession(folder: arguments.folder, peer: arguments.peer).run()
      }
      try await Meeting(
        folder: arguments.folder, name: name, peer: peer, patience: arguments.wait,
        reach: arguments.broadcast.map { .network(broadcast: $0) } ?? .thisMachine
      ).run()
    }
  }
}

/// Prints a session's updates on stdout, one line per second of the recording, and other events.
private final class MeetingReporter: NSObject, NISessionDelegate {
  private let peer: String
  private var begin: Timestamp?
  private var nextLine = 0.0
  private var convergence = "unknown"
  private var advice: String?
  /// The last distance, metres.
  private(set) var distance: Float?

  init(peer: String) { self.peer = peer }

  func sessionDidStartRunning(_ session: NISession) { print("session started") }

  func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    for object in nearbyObjects {
      distance = object.distance ?? distance
      guard let time = object.estimate?.timestamp else { continue }
      begin = begin ?? time
      let seconds = time.seconds(since: begin!)
      guard seconds >= nextLine else { continue }
      nextLine = seconds.rounded(.down) + 1
      let metres = object.distance.map { String(format: "%6.2f m", $0) } ?? "       -"
      let angle = object.horizontalAngle.map { String(format: "%5.0f°", $0 * 180 / .pi) } ?? "     -"
      print(String(format: "%6.1f s", seconds), peer, metres, angle, "", convergence)
    }
  }

  func session(
    _ session: NISession, didUpdateAlgorithmConvergence convergence: NIAlgorithmConvergence, for object: NINearbyObject?
  ) {
    guard object != nil else { return }
    switch convergence.status {
    case .unknown: self.convergence = "unknown"
    case .converged: self.convergence = "converged"
    case .notConverged(let reasons):
      self.convergence = reasons.map(\.rawValue).joined(separator: " ")
      // What an app would show, when it changes.
      if let advice = reasons.first?.localizedDescription, advice != self.advice {
        self.advice = advice
        print("         \(advice)")
      }
    }
  }

  func session(_ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason) {
    print("\(peer) removed: \(reason)")
  }

  func session(_ session: NISession, didInvalidateWith error: any Error) {
    print("session over: \(error.localizedDescription)")
  }
}

/// A session on a recording, with a peer that exists only there.
private struct LoneSession {
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

/// A point in wall-clock time by which something must have happened.
private struct Deadline: Sendable {
  private let end: ContinuousClock.Instant

  /// This many seconds from now.
  init(seconds: Double) { end = .now + .seconds(seconds) }

  /// Whether it has passed.
  var isOver: Bool { .now >= end }

  /// The first matching element, if it comes in time.
  func first<T: Sendable>(of stream: AsyncStream<T>, where fits: @escaping @Sendable (T) -> Bool) async -> T? {
    await withTaskGroup(of: T?.self) { group in
      group.addTask {
        for await element in stream where fits(element) { return element }
        return nil
      }
      group.addTask { [end] in
        try? await Task.sleep(until: end, clock: .continuous)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}

import Foundation
import Geometry
import NearbyInteraction
import RecordedDevices
import SensorData
import Simulation
import Testing

/// Apps call from any thread while the device plays on another: no deadlock, no torn value, and the device still works.
@Suite struct ManyThreadsTests {
  @Test func callsFromEverywhereWhileItPlays() async throws {
    var policy = SessionPolicy()
    policy.activeSessions = 8
    let device = Tape.device(policy: policy)
    let peers = Dictionary(
      uniqueKeysWithValues: (0..<4).map { ("peer\($0)", Vector3(2 + Double($0), Double($0) - 1.5, 0)) })
    let tape = Tape(
      seconds: 30, peers: peers, deviceEvents: [(10, "suspend", nil), (12, "resume", nil)],
      worldFromDevice: AxesTests.pose)
    let isOver = Flag()
    let received = try await withThrowingTaskGroup(of: Int.self) { group in
      // Each app has its own thread: it must not wait for tasks that wait for the device.
      for (index, peer) in peers.keys.sorted().enumerated() {
        group.addTask {
          await withCheckedContinuation { done in
            Thread.detachNewThread {
              done.resume(returning: Self.callAtRandom(device, peer, seed: UInt64(index), until: isOver))
            }
          }
        }
      }
      group.addTask {
        try await withCheckedThrowingContinuation { done in
          Thread.detachNewThread {
            let result = Result { try tape.world(device).playBlocking() }
            isOver.raise()
            done.resume(with: result.map { 0 })
          }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(received > 0)
    // The device still works: a new session starts.
    let listener = Listener()
    let session = listener.session(on: device)
    session.run(SessionTests.plain(device.token(forPeer: "peer0")))
    device.settle()
    #expect(listener.callbacks == ["started"])
  }

  /// Calls at random until the tape is over; returns the number of callbacks.
  static func callAtRandom(_ device: NearbyDevice, _ peer: String, seed: UInt64, until isOver: Flag) -> Int {
    var random = SeededRandom(seed: 90 + seed)
    let token = device.token(forPeer: peer)
    let listener = Listener()
    var session = listener.session(on: device)
    repeat {
      switch random.next() % 8 {
      case 0, 1, 2: session.run(SessionTests.assisted(token))
      case 3: session.run(SessionTests.plain(token))
      case 4: session.pause()
      case 5: if let object = listener.objects.last { _ = session.worldTransform(for: object) }
      case 6: _ = (session.state, session.configuration, session.discoveryToken, device.holding)
      default:
        session.invalidate()
        session = listener.session(on: device)
      }
      Thread.sleep(forTimeInterval: 0.0005)
    } while !isOver.isRaised
    session.invalidate()
    return listener.objects.count + listener.callbacks.count
  }

  final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var raised = false
    var isRaised: Bool { lock.withLock { raised } }
    func raise() { lock.withLock { raised = true } }
  }
}

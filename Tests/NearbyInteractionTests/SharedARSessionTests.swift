import Dispatch
import Foundation
import Geometry
import NearbyInteraction
import Testing

/// An `ARSession` that the app shares.
@Suite struct SharedARSessionTests {
  final class FrameObserver: ARSessionDelegate, @unchecked Sendable {
    var frames: [ARFrame] = []
    /// Called with each frame.
    var answer: (() -> Void)?
    func session(_ session: ARSession, didUpdate frame: ARFrame) {
      frames.append(frame)
      answer?()
    }
  }

  @Test func itShowsTheDevicesPose() throws {
    let device = Tape.device()
    let (ar, observer, listener) = (ARSession(), FrameObserver(), Listener())
    ar.delegate = observer
    ar.delegateQueue = DispatchQueue(label: "frames")
    let sessions = ["a", "b"].map { peer in
      let session = listener.session(on: device)
      session.setARSession(ar)
      session.run(SessionTests.assisted(device.token(forPeer: peer)))
      return session
    }
    // A callback that waits for another thread which uses a session: no lock may be held.
    observer.answer = {
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        _ = sessions[0].state
        done.signal()
      }
      if done.wait(timeout: .now() + 5) == .timedOut { Issue.record("a callback is made under the lock") }
    }
    let path: @Sendable (Double) -> Pose = { time in
      Pose(rotation: Tape.upright, translation: Vector3(0.5 * time, 0.2 * time, 0.1 * time))
    }
    let tape = Tape(seconds: 4, peers: ["a": Vector3(0, 3, 0)], worldFromDevice: path)
    let world = tape.world(device)
    try world.playBlocking(until: 1)
    #expect(observer.frames.isEmpty && ar.currentFrame == nil, "it does not run yet")
    ar.run(ARWorldTrackingConfiguration())
    try world.playBlocking(until: 3)
    let count = observer.frames.count
    #expect((48...50).contains(count), "one frame for each pose, however many sessions share it: \(count)")
    let frame = try #require(ar.currentFrame)
    #expect(frame === observer.frames.last)
    let seconds = frame.timestamp - Double(Tape.start.nanoseconds) / 1e9
    let column = frame.camera.transform.columns.3
    let position = simd_float3(Float(0.5 * seconds), Float(0.1 * seconds), Float(-0.2 * seconds))
    #expect(simd_distance(simd_float3(column.x, column.y, column.z), position) < 0.02)
    ar.pause()
    try world.playBlocking()
    #expect(observer.frames.count == count && ar.configuration == nil)
    withExtendedLifetime(sessions) {}
  }

  /// Its delegate is called on its `delegateQueue`, else on the main queue, as a session's delegate is.
  @Test func itsDelegateHasAQueue() throws {
    let queue = DispatchQueue(label: "frames")
    for queueOrNil in [queue, nil] {
      (queueOrNil ?? .main).setSpecific(key: QueueTests.key, value: queueOrNil == nil ? "main" : "frames")
      let (device, ar, observer, listener) = (Tape.device(), ARSession(), FrameObserver(), Listener())
      ar.delegate = observer
      ar.delegateQueue = queueOrNil
      ar.run(ARWorldTrackingConfiguration())
      let session = listener.session(on: device)
      session.setARSession(ar)
      nonisolated(unsafe) var received: Set<String?> = []
      observer.answer = { received.insert(DispatchQueue.getSpecific(key: QueueTests.key)) }
      session.run(SessionTests.assisted(device.token(forPeer: "a")))
      try Tape(seconds: 1, peers: ["a": Vector3(0, 3, 0)]).world(device).playBlocking()
      #expect(observer.frames.count > 20 && received == [queueOrNil == nil ? "main" : "frames"])
    }
  }

  /// While a shared session does not run there are distances only and no convergence, as on a phone.
  @Test func theAppHasToRunIt() throws {
    let device = Tape.device()
    let (ar, listener) = (ARSession(), Listener())
    let session = listener.session(on: device)
    session.setARSession(ar)
    session.run(SessionTests.assisted(device.token(forPeer: "a")))
    let world = Tape(seconds: AxesTests.motionSeconds, peers: ["a": Vector3(0, 3, 0)], worldFromDevice: AxesTests.pose)
      .world(device)
    try world.playBlocking(until: 20)
    #expect(listener.objects.count > 200)
    for object in listener.objects {
      #expect(object.horizontalAngle == nil && object.direction == nil && object.verticalDirectionEstimate == .unknown)
    }
    #expect(listener.objects.last?.distance != nil && listener.convergence.allSatisfy { $0.0 == .unknown })
    #expect(session.worldTransform(for: try #require(listener.objects.last)) == nil)
    ar.run(ARWorldTrackingConfiguration())
    try world.playBlocking()
    let last = try #require(listener.objects.last)
    #expect(last.horizontalAngle != nil && session.worldTransform(for: last) != nil)
    #expect(listener.convergence.last { $0.1 != nil }?.0 == .converged)
    #expect(listener.convergence.last { $0.1 == nil }?.0 == .converged)
  }

  /// Restarting it with an unsuitable configuration ends the session.
  @Test func unsuitableRestartEndsTheSession() throws {
    let device = Tape.device()
    let (ar, listener) = (ARSession(), Listener())
    ar.run(ARWorldTrackingConfiguration())
    let session = listener.session(on: device)
    session.setARSession(ar)
    session.run(SessionTests.assisted(device.token(forPeer: "a")))
    let world = Tape(seconds: 4, peers: ["a": Vector3(0, 3, 0)]).world(device)
    try world.playBlocking(until: 2)
    #expect(listener.callbacks == ["started"])
    let configuration = ARWorldTrackingConfiguration()
    configuration.isCollaborationEnabled = true
    ar.run(configuration)
    try world.playBlocking()
    #expect(listener.callbacks == ["started", "invalidated invalidARConfiguration"] && session.discoveryToken == nil)
  }

  /// A change of a configuration after `run` takes effect at the next `run`.
  @Test func itsConfigurationIsACopy() {
    let ar = ARSession()
    let configuration = ARWorldTrackingConfiguration()
    ar.run(configuration)
    configuration.isCollaborationEnabled = true
    #expect((ar.configuration as? ARWorldTrackingConfiguration)?.isCollaborationEnabled == false)
    ar.run(configuration)
    #expect((ar.configuration as? ARWorldTrackingConfiguration)?.isCollaborationEnabled == true)
    #expect(ARWorldTrackingConfiguration.isSupported)
  }

  /// A cancelled stream is removed; the others continue.
  @Test func streamsMayEndEarly() async throws {
    let device = Tape.device()
    let session = Listener().session(on: device)
    let (cancelled, remaining) = (session.events, session.events)
    let task = Task { for await _ in cancelled {} }
    task.cancel()
    await task.value
    session.run(SessionTests.plain(device.token(forPeer: "a")))
    try await Tape(seconds: 1, peers: ["a": Vector3(0, 3, 0)]).world(device).play()
    session.invalidate()
    var received = 0
    for await _ in remaining { received += 1 }
    #expect(received == 11)
  }
}

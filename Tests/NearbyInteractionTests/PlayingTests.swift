import Dispatch
import Foundation
import Geometry
import NearbyInteraction
import PhoneApps
import RecordedDevices
import SensorData
import Testing

/// Playing that is safe for apps, from tasks and from threads; `MainThreadTests` plays on the main thread.
@Suite struct PlayingTests {
  let tag = ["tag": Vector3(0, 4, 0)]

  /// Where the caller occupies the main queue, nobody could run the app's work: an error instead of starving.
  @MainActor @Test func blockingTheMainQueueIsRefused() {
    let world = Tape(seconds: 1, peers: tag).world(Tape.device())
    #expect(throws: PlayingError.mainQueueIsBlocked) { try Self.play(world) }
    #expect(PlayingError.mainQueueIsBlocked.description.contains("await"))
  }

  static func play(_ world: World) throws { try world.playBlocking() }

  /// A task makes the same callbacks in the same order as a thread does.
  @Test func tasksAndThreadsCallAlike() async throws {
    let tape = Tape(
      seconds: 6, peers: ["tag": Vector3(0, 4, 0)], deviceEvents: [(2, "suspend", nil), (3, "resume", nil)],
      worldFromDevice: AxesTests.pose)
    func listen() -> (Listener, NISession, World) {
      let device = Tape.device()
      let listener = Listener()
      let session = listener.session(on: device)
      listener.answer = { callback, session in
        if callback == "suspension ended", let configuration = session.configuration { session.run(configuration) }
      }
      session.run(SessionTests.assisted(device.token(forPeer: "tag")))
      return (listener, session, tape.world(device))
    }
    let (one, another) = (listen(), listen())
    try await one.2.play()
    try Self.play(another.2)
    #expect(one.0.callbacks == ["started", "suspended", "suspension ended", "started"])
    #expect(one.0.callbacks == another.0.callbacks)
    #expect(one.0.objects.count > 80)
    #expect(one.0.objects.map(\.distance) == another.0.objects.map(\.distance))
    #expect(one.0.objects.map(\.horizontalAngle) == another.0.objects.map(\.horizontalAngle))
    withExtendedLifetime((one.1, another.1)) {}
  }

  /// A session on the main queue's delegate, played from the main actor: its work runs between events.
  @MainActor @Test func theMainActorMayPlay() async throws {
    let device = Tape.device()
    let listener = Listener()
    let session = NISession(device: device)
    session.delegate = listener
    nonisolated(unsafe) var (waiting, late) = (0, 0)
    listener.answer = { _, _ in
      if waiting > 0 { late += 1 }
      waiting += 1
      DispatchQueue.main.async { waiting -= 1 }
    }
    session.run(SessionTests.plain(device.token(forPeer: "tag")))
    try await Tape(seconds: 3, peers: tag).world(device).play()
    #expect(listener.objects.count == 30 && late == 0 && waiting == 0)
  }

  @Test func aCancelledTaskStopsPlaying() async throws {
    let device = Tape.device()
    let listener = Listener()
    let session = listener.session(on: device)
    session.run(SessionTests.plain(device.token(forPeer: "tag")))
    let world = Tape(seconds: 5, peers: tag).world(device)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await world.play()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(listener.objects.isEmpty && world.time == 0)
  }

  /// Regression: an app that runs its session in every `didInvalidateWith` was called a hundred thousand times.
  @Test func endlessRestartsAreStopped() async throws {
    var policy = SessionPolicy()
    policy.isAllowedByUser = false
    let device = Tape.device(policy: policy)
    let app = NearbyDevice.with(device) { RestartingApp(restarts: true) }
    let world = Tape(seconds: 20, peers: tag).world(device)
    await #expect(throws: PlayingError.self) {
      app.start(device.token(forPeer: "tag"))
      try await world.play()
    }
    #expect(app.codes.count == 100 && Set(app.codes) == [.userDidNotAllow, .sessionFailed])
    #expect(app.reasons.count == 1 && app.reasons[0].contains("100 times in a row"))
    // The world can continue; the app is not called any more.
    try await world.play()
    #expect(app.codes.count == 100)
  }

  /// The same without a device: there is no world that could throw.
  @Test func endlessRestartsWithoutADevice() async throws {
    nonisolated(unsafe) let app = RestartingApp(restarts: true)  // Touched on the main queue only.
    let token = Tape.device().token(forPeer: "tag")
    await MainActor.run { app.start(token) }
    for _ in 0..<400 where await MainActor.run(body: { app.codes.count }) < 100 {
      try await Task.sleep(for: .milliseconds(5))
    }
    try await Task.sleep(for: .milliseconds(50))
    let (codes, reasons) = await MainActor.run { (app.codes, app.reasons) }
    #expect(codes.count == 100)
    #expect(reasons.first?.contains("NearbyDevice.install") == true)
    #expect(reasons.last?.contains("100 times in a row") == true)
  }

  /// Refusals far apart are no loop.
  @Test func patientRetriesAreAnswered() throws {
    var policy = SessionPolicy()
    policy.isAllowedByUser = false
    let device = Tape.device(policy: policy)
    let app = NearbyDevice.with(device) { RestartingApp() }
    for k in 0..<150 {
      device.advance(to: Tape.time(Double(k) * 11))
      app.start(device.token(forPeer: "tag"))
      device.advance(to: Tape.time(Double(k) * 11 + 1))
    }
    #expect(app.codes.count == 150 && app.reasons.isEmpty)
  }
}

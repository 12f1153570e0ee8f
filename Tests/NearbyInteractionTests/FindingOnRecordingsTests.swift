import Foundation
import NearbyInteraction
import RecordedDevices
import SensorData
import Testing

/// The state machines on top of sessions, fed by sessions: nothing but what an app hears.
@Suite struct FindingOnRecordingsTests {
  /// Plays a shipped recording with a session for each peer; `hear` gets each object and its convergence with the world's time.
  static func play(
    _ recording: String,
    _ hear:
      @escaping (
        _ time: Double, _ peer: String, _ object: NINearbyObject, _ status: NIAlgorithmConvergenceStatus,
        _ isPlaced: Bool
      ) -> Void
  ) throws {
    let folder = TutorialTests.root.appendingPathComponent("datasets/\(recording)")
    let phone = try RecordedDevice(folder: folder)
    let world = World()
    world.add(phone.device, playing: phone.source)
    var kept: [(Listener, NISession)] = []
    for peer in phone.peers {
      let listener = Listener()
      let session = listener.session(on: phone.device)
      listener.answer = { [unowned listener] word, session in
        guard word == "update", let object = listener.objects.last else { return }
        let status = listener.convergence.last { $0.1 != nil }?.0 ?? .unknown
        hear(world.time, peer, object, status, session.worldTransform(for: object) != nil)
      }
      session.run(SessionTests.assisted(phone.device.token(forPeer: peer)))
      kept.append((listener, session))
    }
    try world.play()
    withExtendedLifetime(kept) {}
  }

  /// From the first request to the marker: each stays for a second at least, but good news and silence, which come at once.
  @Test func theLadderLeadsToTheTag() throws {
    var ladder = CoachingLadder()
    var requests: [(time: Double, request: CoachingLadder.Request)] = []
    try Self.play("demo") { time, _, object, status, isPlaced in
      let situation = CoachingLadder.Situation(object: object, convergence: status, isPlaced: isPlaced)
      let request = ladder.request(for: situation, at: time)
      if requests.last?.request != request { requests.append((time, request)) }
    }
    let words = requests.map(\.request)
    let first = try #require(words.first)
    #expect([.search, .moveAround, .sweepSideways].contains(first))
    let angle = try #require(words.firstIndex { $0 == .go || $0 == .sweepUpAndDown })
    #expect(words.prefix(angle).contains(.sweepSideways))
    #expect(try #require(words.firstIndex(of: .found)) > angle && words.last == .found)
    for (one, next) in zip(requests, requests.dropFirst()) where next.request != .found && next.request != .search {
      #expect(next.time - one.time >= ladder.dwell, "\(one) \(next)")
    }
  }

  /// On the way to the tag each ring is entered once, from the outside in, and the smoothed distance never jumps.
  @Test func ringsAreEnteredInOrder() throws {
    var zones = ZoneEngine([.init("here", enter: 2.5, exit: 3), .init("near", enter: 4, exit: 4.8)])
    var smoother = DistanceSmoother()
    var quality = MeasurementQualityEstimator()
    var changes: [ZoneEngine.Change] = []
    var shown: [(time: Double, distance: Double)] = []
    var qualities: Set<MeasurementQualityEstimator.Quality> = []
    try Self.play("demo") { time, _, object, _, _ in
      let distance = object.distance.map { Double($0) }
      quality.add(distance, at: time)
      qualities.insert(quality.quality(at: time))
      guard let smooth = smoother.update(distance, at: time) else { return }
      changes += zones.update(smooth, at: time)
      shown.append((time, smooth))
    }
    #expect(changes == [.entered("near"), .entered("here")])
    #expect(qualities == [.unknown, .close])
    #expect(shown.count > 200)
    for (one, next) in zip(shown, shown.dropFirst()) where next.time - one.time < 0.2 {
      #expect(abs(next.distance - one.distance) < 0.3)
    }
  }

  /// Of two peers the one is pointed at that is nearer to the phone's axis, and the answer does not flicker.
  @Test func pointingPicksOneOfTwo() throws {
    var query = PointingQuery(cone: .pi / 6)
    var seen: [String: PointingQuery.Candidate] = [:]
    var answers: [(time: Double, peer: String?)] = []
    try Self.play("two-peers") { time, peer, object, _, _ in
      seen[peer] = PointingQuery.Candidate(object, named: peer)
      let selected = query.update(seen.keys.sorted().compactMap { seen[$0] }, at: time)
      if let selected, let angle = seen[selected].map({ abs($0.angle) }) {
        // Held a little longer than the best, and no more.
        #expect(seen.values.allSatisfy { angle <= abs($0.angle) + query.margin })
        #expect(angle <= query.cone + query.margin)
      }
      if answers.last?.peer != selected || answers.isEmpty { answers.append((time, selected)) }
    }
    #expect(Set(answers.compactMap(\.peer)) == ["bag", "keys"])
    // Between the two a swing may point at nobody; who was left is not back within a moment.
    for (left, back) in zip(answers.dropFirst(), answers.dropFirst(2)) {
      let before = answers.last { $0.time < left.time && $0.peer != nil }
      if left.peer == nil, back.peer == before?.peer { #expect(back.time - left.time > 0.2, "\(left) \(back)") }
    }
  }
}

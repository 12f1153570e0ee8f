import Foundation
import NearbyInteraction
import RecordedDevices
import SensorData
import Testing

/// The state machines on top of sessions, with the outputs of sessions on recordings as inputs.
@Suite struct FindingOnRecordingsTests {
  /// Plays a shipped recording with a session for each peer; `receive` gets each object and its convergence with the
  /// world's time.
  static func play(
    _ recording: String,
    _ receive:
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
      listener.answer = { [unowned listener] callback, session in
        guard callback == "update", let object = listener.objects.last else { return }
        let status = listener.convergence.last { $0.1 != nil }?.0 ?? .unknown
        receive(world.time, peer, object, status, session.worldTransform(for: object) != nil)
      }
      session.run(SessionTests.assisted(phone.device.token(forPeer: peer)))
      kept.append((listener, session))
    }
    try world.playBlocking()
    withExtendedLifetime(kept) {}
  }

  /// From the first request to the marker: each stays for `dwell` at least, except `found` and `search`, which are
  /// immediate.
  @Test func ladderEndsWithFound() throws {
    var ladder = CoachingLadder()
    var requests: [(time: Double, request: CoachingLadder.Request)] = []
    try Self.play("demo") { time, _, object, status, isPlaced in
      let situation = CoachingLadder.Situation(object: object, convergence: status, isPlaced: isPlaced)
      let request = ladder.request(for: situation, at: time)
      if requests.last?.request != request { requests.append((time, request)) }
    }
    let kinds = requests.map(\.request)
    let first = try #require(kinds.first)
    #expect([.search, .moveAround, .sweepSideways].contains(first))
    let angle = try #require(kinds.firstIndex { $0 == .go || $0 == .sweepUpAndDown })
    #expect(kinds.prefix(angle).contains(.sweepSideways))
    #expect(try #require(kinds.firstIndex(of: .found)) > angle && kinds.last == .found)
    for (one, next) in zip(requests, requests.dropFirst()) where next.request != .found && next.request != .search {
      #expect(next.time - one.time >= ladder.dwell, "\(one) \(next)")
    }
  }

  /// While approaching the tag each ring is entered once, from the outside in, and the smoothed distance never jumps.
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

  /// Of two peers the one nearer to the phone's axis is selected, and the result does not flicker.
  @Test func pointingPicksOneOfTwo() throws {
    var query = PointingQuery(cone: .pi / 6)
    var candidates: [String: PointingQuery.Candidate] = [:]
    var selections: [(time: Double, peer: String?)] = []
    var lastInside = -Double.infinity
    try Self.play("two-peers") { time, peer, object, _, _ in
      candidates[peer] = PointingQuery.Candidate(object, named: peer)
      let selected = query.update(candidates.keys.sorted().compactMap { candidates[$0] }, at: time)
      if let selected, let angle = candidates[selected].map({ abs($0.angle) }) {
        // The selected peer may be off the best one in the cone by the margin, and no more.
        #expect(query.ranking(Array(candidates.values)).allSatisfy { angle <= abs($0.angle) + query.margin })
        // Beyond the cone it is held for a moment.
        if angle <= query.cone + query.margin { lastInside = time }
        #expect(time - lastInside <= query.patience)
      }
      if selections.last?.peer != selected || selections.isEmpty { selections.append((time, selected)) }
    }
    #expect(Set(selections.compactMap(\.peer)) == ["bag", "keys"])
    // A swing between the two may select no peer, but a deselected one is not selected again within 0.2 s.
    let flickers = zip(selections.dropFirst(), selections.dropFirst(2)).count { left, back in
      let before = selections.last { $0.time < left.time && $0.peer != nil }
      return left.peer == nil && back.peer == before?.peer && back.time - left.time <= 0.2
    }
    #expect(flickers == 0)
  }
}

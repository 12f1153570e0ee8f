import Foundation
import Geometry
import PrecisionFinding
import PrecisionFindingTestSupport
import SensorData
import Simulation
import Testing

@Suite struct PrecisionFinderTests {
  static let whole = OdometryWorld.run(OdometryWorld.events(seconds: 12))

  /// The updates between two moments, seconds from the start.
  static func between(_ from: Double, _ to: Double, _ updates: [NearbyUpdate]) -> [NearbyUpdate] {
    updates.filter { $0.timestamp > OdometryWorld.time(from) && $0.timestamp < OdometryWorld.time(to) }
  }

  /// One update per range and one per multiple of 100 ms, in time order.
  @Test func updatesComeWithRangesAndTicks() {
    let events = OdometryWorld.events(seconds: 12)
    let last = events.last!.event.timestamp
    for peer in ["a", "b"] {
      var expected = events.compactMap { event -> Timestamp? in
        if case .range(let range) = event.event, range.peer == peer { range.timestamp } else { nil }
      }
      let first = expected[0].nanoseconds
      var tick = (first / 100_000_000 + 1) * 100_000_000
      while tick < last.nanoseconds {
        expected.append(Timestamp(nanoseconds: tick))
        tick += 100_000_000
      }
      #expect(Self.whole.updates(of: peer).map(\.timestamp) == expected.sorted())
    }
    let times = Self.whole.times
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    let poses = Self.whole.filter { if case .pose = $0 { true } else { false } }
    #expect(poses.count == 12 * 25 + 1, "one pose per odometry row")
  }

  /// A tick that falls on a range's own time comes beside the range's update; clocks may begin before zero.
  @Test(arguments: [Int64(0), -1_000_000_000, -950_000_000])
  func ticksAreMultiplesWhereverTheClockBegins(origin: Int64) {
    let finder = OdometryWorld.finder()
    var outputs: [FinderOutput] = []
    for k in 0..<20 {
      let time = Timestamp(nanoseconds: origin + Int64(k) * 50_000_000)
      outputs += finder.process(TimedEvent(.odometry(OdometryPose(timestamp: time, worldFromSensor: .identity))))
      if k % 4 == 0 {
        outputs += finder.process(TimedEvent(.range(RangeMeasurement(timestamp: time, peer: "a", range: 3))))
      }
    }
    outputs += finder.finish()
    var expected: [Int64] = []
    for k in 0..<20 {
      let time = origin + Int64(k) * 50_000_000
      if k % 4 == 0 { expected.append(time) }
      // A tick is certain once something later has come.
      if time % 100_000_000 == 0, k < 19 { expected.append(time) }
    }
    #expect(outputs.updates().map(\.timestamp.nanoseconds) == expected)
  }

  /// The outputs of a prefix stand when the rest comes.
  @Test func aPrefixOfTheEventsGivesAPrefixOfTheOutputs() {
    let events = OdometryWorld.events(seconds: 12)
    for count in [1, 10, 57, 200, 301] {
      let outputs = OdometryWorld.run(Array(events[..<count]), finish: false)
      #expect(outputs == Array(Self.whole[..<outputs.count]))
    }
  }

  @Test func twoRunsAreEqual() {
    #expect(OdometryWorld.run(OdometryWorld.events(seconds: 12)) == Self.whole)
  }

  /// Events that arrive late, but within the window, change nothing.
  @Test func lateArrivalsWithinTheWindowChangeNothing() {
    var random = SeededRandom(seed: 151)
    let late = OdometryWorld.events(seconds: 12).map {
      TimedEvent($0.event, arrival: $0.arrival.advanced(byNanoseconds: Int64(random.uniform(0...40) * 1e6)))
    }
    let outputs = OdometryWorld.run(late.sorted { $0.arrival < $1.arrival })
    let first = zip(outputs, Self.whole).enumerated().first { $0.element.0 != $0.element.1 }
    #expect(first == nil && outputs.count == Self.whole.count, "to the bit")
  }

  /// In twelve seconds of lively motion both peers are found where they are.
  @Test func bothPeersAreFound() throws {
    for (peer, position) in OdometryWorld.peers {
      let updates = Self.whole.updates(of: peer)
      let last = try #require(updates.last)
      #expect(last.convergence.status == .converged && last.guidance == nil && last.object.quality == .precise)
      #expect((try #require(last.object.worldPosition).position - position).norm < 0.5)
      let seconds = last.timestamp.seconds(since: OdometryWorld.time(0))
      let device = OdometryWorld.path(seconds) * OdometryWorld.rig.bodyFromDevice
      let truth = HorizontalAngle.of(position - device.translation, worldFromDevice: device.rotation)
      #expect(abs(Angle.wrapped(try #require(last.object.horizontalAngle).value - truth)) < Angle.degrees(6))
      let direction = try #require(last.object.direction)
      let seen = (device.rotation.inverse * (position - device.translation)).normalized
      #expect(abs(direction.norm - 1) < 1e-9 && direction.dot(seen) > cos(Angle.degrees(8)))
      // 2.2 m up at some five metres: above; the other within a metre of our height.
      #expect(last.object.verticalDirectionEstimate == (peer == "b" ? .above : .same))
      #expect(updates.first?.object.horizontalAngle == nil)
    }
  }

  /// The contract of every update: nulls together, nothing beyond its limits.
  @Test func everyUpdateKeepsTheContract() {
    for update in Self.whole.updates() {
      let object = update.object
      #expect(update.numbers.allSatisfy { $0.isFinite })
      if update.convergence.status == .converged {
        #expect(object.horizontalAngle != nil && object.worldPosition != nil && update.convergence.reasons.isEmpty)
        #expect([.same, .above, .below].contains(object.verticalDirectionEstimate))
      } else {
        #expect(update.convergence.status == .unknown || !update.convergence.reasons.isEmpty)
      }
      if let angle = object.horizontalAngle {
        #expect(angle.high >= angle.low && angle.high - angle.low <= Angle.degrees(30) + 1e-9)
      }
      if update.convergence.withholdsAngle {
        #expect(object.horizontalAngle == nil && object.verticalDirectionEstimate == .unknown)
      }
    }
  }

  /// Ranges before the first pose: a distance, imprecise, unknown; then they are used at it.
  @Test func rangesBeforeTheFirstPoseGiveADistance() {
    let early = (0..<30).map { OdometryWorld.range(-3 + 0.1 * Double($0) + 0.013, "a", 5) }
    let outputs = OdometryWorld.run(early + OdometryWorld.events(seconds: 1, peers: ["a"]))
    let before = outputs.updates().filter { $0.timestamp < OdometryWorld.time(0) }
    #expect(before.count >= 55)
    for update in before {
      #expect(update.object.distance == 5 - FinderConfiguration().ranging.biasMean)
      #expect(update.object.quality == .imprecise)
      #expect(update.convergence.status == .unknown && update.object.horizontalAngle == nil)
      #expect(update.object.verticalDirectionEstimate == .unknown && update.object.worldPosition == nil)
    }
    let after = outputs.updates().filter { $0.timestamp > OdometryWorld.time(0) }
    #expect(after.first?.object.quality == .precise)
    #expect(after.first.map { $0.convergence.status == .notConverged } == true, "the kept ranges have begun the search")
    let times = outputs.times
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
  }

  /// A peer that ended has no updates until it ranges again; the other goes on.
  @Test func aPeerThatEndedFallsSilent() {
    let ended = TimedEvent(.device(DeviceEvent(timestamp: OdometryWorld.time(6), name: "peerEnded", peer: "a")))
    let events = OdometryWorld.events(seconds: 12).filter { event in
      guard case .range(let range) = event.event, range.peer == "a" else { return true }
      let t = range.timestamp.seconds(since: OdometryWorld.time(0))
      return t < 6 || t > 9
    }
    let outputs = OdometryWorld.run((events + [ended]).sorted { $0.event.timestamp < $1.event.timestamp })
    func count(_ peer: String, _ from: Double, _ to: Double) -> Int {
      Self.between(from, to, outputs.updates(of: peer)).count
    }
    #expect(count("a", 5, 6) > 0 && count("a", 6, 9) == 0 && count("a", 9, 12) > 40 && count("b", 6, 9) == 60 - 1)
    #expect(outputs.updates(of: "a").first { $0.timestamp > OdometryWorld.time(9) }?.object.horizontalAngle == nil)
  }

  /// No odometry for two seconds: distances go on, and the angle comes back with lively motion.
  @Test func aGapInTheOdometryLeavesADistance() {
    let events = OdometryWorld.events(seconds: 20, peers: ["a"]).filter { event in
      guard case .odometry(let pose) = event.event else { return true }
      let t = pose.timestamp.seconds(since: OdometryWorld.time(0))
      return t < 9 || t > 11
    }
    let outputs = OdometryWorld.run(events)
    let inside = Self.between(9.2, 10.4, outputs.updates())
    #expect(inside.count > 20 && inside.allSatisfy { $0.object.distance != nil })
    #expect(inside.allSatisfy { $0.object.quality == .imprecise && $0.object.horizontalAngle == nil })
    let last = outputs.updates().last
    #expect(last?.object.quality == .precise && last?.object.horizontalAngle != nil)
    let times = outputs.times
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
  }

  /// A peer that is carried off in an instant: its old position is dropped, and the new one found, under most draws of the radio's noise;
  /// under none is another place published.
  @Test func aPeerThatWasCarriedOffIsFoundAgain() throws {
    let position = Vector3(-2, -4, 0.2)
    var found = 0
    for seed in UInt64(141)..<153 {
      let events = OdometryWorld.events(seconds: 26, seed: seed, peers: ["a"]).map { event -> TimedEvent in
        guard case .range(var range) = event.event else { return event }
        let t = range.timestamp.seconds(since: OdometryWorld.time(0))
        guard t > 12 else { return event }
        let device = OdometryWorld.path(t).translation
        range.range += (position - device).norm - (OdometryWorld.peers["a"]! - device).norm
        return TimedEvent(.range(range))
      }
      let updates = OdometryWorld.run(events).updates()
      #expect(Self.between(11, 12, updates).allSatisfy { $0.object.horizontalAngle != nil })
      #expect(Self.between(12, 16, updates).contains { $0.object.horizontalAngle == nil }, "withheld first")
      let places = Self.between(14, 26, updates).compactMap(\.object.worldPosition)
      #expect(places.allSatisfy { ($0.position - position).norm < 0.5 }, "seed \(seed)")
      if !places.isEmpty { found += 1 }
    }
    #expect(found >= 8)
  }

  @Test func withoutRangesForASecondItDrifts() {
    let events = OdometryWorld.events(seconds: 12, peers: ["a"]).filter { event in
      guard case .range(let range) = event.event else { return true }
      return range.timestamp < OdometryWorld.time(9)
    }
    let updates = OdometryWorld.run(events).updates()
    #expect(updates.contains { $0.timestamp > OdometryWorld.time(9.5) && $0.object.quality == .precise })
    let late = updates.filter { $0.timestamp > OdometryWorld.time(10.1) }
    #expect(late.count >= 18 && late.allSatisfy { $0.object.quality == .drifting })
  }

  /// An unknown antenna, an unknown event, a late event: counted or ignored.
  @Test func unknownAndLateEventsDoNoHarm() {
    let finder = OdometryWorld.finder()
    for event in OdometryWorld.events(seconds: 1) { _ = finder.process(event) }
    for (name, peer) in [("peerEnded", "nobody"), ("music", nil)] {
      _ = finder.process(TimedEvent(.device(DeviceEvent(timestamp: OdometryWorld.time(1), name: name, peer: peer))))
    }
    _ = finder.process(OdometryWorld.odometry(0.5))
    _ = finder.finish()
    #expect(finder.summary.lateEvents == 1)
    #expect(finder.summary.peers.keys.sorted() == ["a", "b"])
  }
}

import PrecisionFinding
import PrecisionFindingTestSupport
import SensorData
import Testing

/// The obstacles, what they rest on, and how they go with the five reasons.
@Suite struct PublicationObstacleTests {
  static func found(_ update: NearbyUpdate) -> [NearbyUpdate.ObstacleProgress] {
    if case .obstacles(let found)? = update.details["findings"] { found } else { [] }
  }

  /// The reasons of an update are those of its obstacles, in their order; converged is what has nothing open.
  @Test func reasonsFollowTheObstacles() {
    let updates = PrecisionFinderTests.whole.updates()
    for update in updates {
      let found = Self.found(update)
      var reasons: [Convergence.Reason] = []
      for reason in found.compactMap(\.obstacle?.reason) where !reasons.contains(reason) { reasons.append(reason) }
      switch update.convergence.status {
      case .notConverged: #expect(update.convergence.reasons == reasons)
      case .converged: #expect(reasons.isEmpty || reasons == [.insufficientSignalStrength])
      case .unknown: break
      }
      #expect(found.compactMap(\.progress).allSatisfy { (0...1).contains($0) })
    }
    #expect(updates.contains { Self.found($0).contains { $0.obstacle == .unexplored && $0.progress != nil } })
    #expect(Self.found(updates.last!).isEmpty)
  }

  @Test func onlyWhatMovesAndAMissingPathHaveNoReason() {
    #expect(PublicationObstacle.allCases.filter { $0.reason == nil } == [.noTrajectory, .peerMoving, .aoaInconsistent])
    #expect(Set(PublicationObstacle.allCases.compactMap(\.reason)) == Set(Convergence.Reason.allCases))
  }

  /// Where light or a signal is requested, the sentence names what the camera or the radio lacks; elsewhere it does not
  /// matter.
  @Test func theGuidanceNamesWhatIsMissing() {
    let dark = Convergence(status: .notConverged, reasons: [.insufficientLighting, .insufficientMovement])
    #expect(dark.guidance(found: [.dark]) == dark.guidance)
    #expect(dark.guidance(found: [.excessiveMotion, .stale]) == "Move more slowly: the picture is blurred.")
    let sentences = PublicationObstacle.allCases.filter { $0.reason == .insufficientLighting }.map(\.guidance)
    #expect(!sentences.contains(nil) && Set(sentences).count == sentences.count)
    #expect(
      PublicationObstacle.allCases.allSatisfy {
        ($0.guidance != nil) == ($0.reason == .insufficientLighting || $0 == .repeated)
      })
    let silent = Convergence(
      status: .notConverged, reasons: [.insufficientMovement], asked: .insufficientSignalStrength)
    #expect(silent.guidance(found: [.unexplored, .repeated]) == "The radio repeats its last range: restart it.")
    #expect(silent.guidance(found: [.unexplored, .stale]) == silent.guidance && silent.guidance != nil)
    let still = Convergence(status: .notConverged, reasons: [.insufficientMovement])
    #expect(still.guidance(found: [.covered]) == "Move around a little.")
    #expect(Convergence(status: .converged).guidance(found: []) == nil)
  }

  /// Before the first pose, and in a gap of the tracker's poses, the trajectory is what is missing.
  @Test func aMissingPathIsNamed() {
    let early = (0..<10).map { OdometryWorld.range(-1 + 0.1 * Double($0) + 0.013, "a", 5) }
    let outputs = OdometryWorld.run(early + OdometryWorld.events(seconds: 1, peers: ["a"])).updates()
    for update in outputs {
      let isMissing = Self.found(update).contains { $0.obstacle == .noTrajectory }
      #expect(isMissing == (update.timestamp < OdometryWorld.time(0)))
    }
  }

  /// Ranges that come, but with hardly any power: the signal is weak as long as something is missing.
  @Test func littlePowerIsAWeakSignal() throws {
    func run(_ power: Double?) -> [NearbyUpdate] {
      OdometryWorld.run(
        OdometryWorld.events(seconds: 4, peers: ["a"]).map { event in
          guard case .range(var range) = event.event else { return event }
          range.firstPathPower = power
          return TimedEvent(.range(range))
        }
      ).updates()
    }
    let (weak, strong) = (run(-100), run(-80))
    #expect(weak.map(\.object.horizontalAngle) == strong.map(\.object.horizontalAngle), "the estimate does not change")
    let open = weak.filter { $0.convergence.status == .notConverged }
    #expect(open.count > 20 && open.allSatisfy { $0.convergence.reasons.last == .insufficientSignalStrength })
    #expect(weak.last.map { Self.found($0).map(\.obstacle).contains(.weakPower) } == true)
    #expect(weak.last?.details["power"] == .number(-100) && run(nil).allSatisfy { $0.details["power"] == nil })
    #expect(strong.allSatisfy { !$0.convergence.reasons.contains(.insufficientSignalStrength) })
  }

  /// A peer that reported motion before it first ranged was taken to be stationary.
  @Test func aMotionReportedBeforeTheFirstRangeIsKept() {
    func run(_ name: String) -> [NearbyUpdate] {
      let report = TimedEvent(.device(DeviceEvent(timestamp: OdometryWorld.time(-1), name: name, peer: "a")))
      return OdometryWorld.run([report] + OdometryWorld.events(seconds: 3)).updates(of: "a").filter {
        $0.timestamp > OdometryWorld.time(1)
      }
    }
    func isMoving(_ update: NearbyUpdate) -> Bool { Self.found(update).contains { $0.obstacle == .peerMoving } }
    #expect(run("moving").count > 30 && run("moving").allSatisfy(isMoving))
    #expect(!run("stationary").contains(where: isMoving) && !run("music").contains(where: isMoving))
  }
}

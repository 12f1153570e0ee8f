import Foundation
import Geometry
import NearbyInteraction
import PrecisionFinding
import RecordedDevices
import SensorData
import Testing

/// Which reason withholds which output, for every set of reasons.
@Suite struct GatingTests {
  static let token = NIDiscoveryToken(capabilities: .preciseDistance)

  /// An estimate in which everything is known.
  static func full(_ reasons: [Convergence.Reason], direction: Vector3 = Vector3(0, 0, -1)) -> NearbyUpdate {
    var object = NearbyObject(peer: "tag", quality: .precise)
    object.distance = 3
    object.direction = direction
    object.horizontalAngle = .init(value: 0.4, standardDeviation: 0.01, low: 0.3, high: 0.5)
    object.verticalDirectionEstimate = .above
    object.worldPosition = .init(position: Vector3(1, 2, 3), covariance: .identity)
    return NearbyUpdate(
      timestamp: Tape.start, object: object,
      convergence: Convergence(status: reasons.isEmpty ? .converged : .notConverged, reasons: reasons))
  }

  @Test func everySetOfReasonsWithholdsItsOutputs() {
    let all = Convergence.Reason.allCases
    for set in 0..<(1 << all.count) {
      let reasons = all.enumerated().filter { set >> $0.offset & 1 == 1 }.map(\.element)
      var presenter = ObjectPresenter(profile: .phone)
      let update = Self.full(reasons)
      let object = presenter.object(update, token: Self.token)
      let isWithheld = !Set(reasons).isDisjoint(with: [
        .insufficientMovement, .insufficientHorizontalSweep, .insufficientLighting,
      ])
      #expect((object.horizontalAngle == nil) == isWithheld, "\(reasons)")
      #expect((object.verticalDirectionEstimate == .unknown) == isWithheld, "\(reasons)")
      #expect(
        (presenter.worldPosition(update) == nil) == (isWithheld || reasons.contains(.insufficientVerticalSweep)),
        "\(reasons)")
      #expect(object.distance == 3 && object.direction == simd_float3(0, 0, -1), "\(reasons)")
    }
  }

  /// Names and sentences of the reasons are the finder's.
  @Test func reasonsKeepTheirNames() {
    for reason in Convergence.Reason.allCases {
      let status = NIAlgorithmConvergenceStatus(Convergence(status: .notConverged, reasons: [reason]))
      let apple = NIAlgorithmConvergenceStatus.Reason(rawValue: reason.rawValue)
      #expect(status == .notConverged([apple]))
      #expect(apple.localizedDescription == reason.guidance && !reason.guidance.isEmpty)
    }
    #expect(NIAlgorithmConvergenceStatus(Convergence(status: .converged)) == .converged)
    #expect(NIAlgorithmConvergenceStatus(Convergence(status: .unknown)) == .unknown)
    #expect(NIAlgorithmConvergenceStatus.Reason(rawValue: "tooLoud").localizedDescription == nil)
    #expect(NIAlgorithmConvergenceStatus.Reason.insufficientVerticalSweep.rawValue == "insufficientVerticalSweep")
  }

  /// A broken set-up is a reason of its own, with what to do; so is an open premise. Neither is one of Apple's.
  @Test func aBrokenSetUpIsAReason() throws {
    typealias Status = NIAlgorithmConvergenceStatus
    func reasons(_ status: Status) -> [Status.Reason] {
      if case .notConverged(let reasons) = status { reasons } else { [] }
    }
    let findings = NearbyUpdate.Detail.obstacles([.init(code: "rangeUnit"), .init(.noTrajectory)])
    let broken = Status(Convergence(status: .unknown), details: ["findings": findings]) {
      $0 == "rangeUnit" ? "ranges look to be in feet: write ranges in metres." : nil
    }
    #expect(broken == .notConverged([.init(rawValue: "rangeUnit")]))
    #expect(
      reasons(broken).first?.localizedDescription
        == "The set-up is broken: ranges look to be in feet: write ranges in metres.")
    let kept = try #require(try ArchiveTests.roundTrip(NIAlgorithmConvergence(status: broken)))
    #expect(reasons(kept.status).first?.localizedDescription == reasons(broken).first?.localizedDescription)
    let open = Status(
      Convergence(status: .notConverged, reasons: [.insufficientMovement]),
      details: ["findings": .obstacles([.init(.premiseOpen)]), "premise": .text("radioClock")])
    #expect(open == .notConverged([.init(rawValue: "radioClock"), .insufficientMovement]))
    #expect(reasons(open).allSatisfy { $0.localizedDescription != nil })
    let waiting = NearbyUpdate.Detail.obstacles([.init(.noTrajectory)])
    #expect(Status(Convergence(status: .unknown), details: ["findings": waiting]) == .unknown)
  }

  /// A direction outside the cone is published only after one inside it.
  @Test func directionOutsideTheConeNeedsOneInside() {
    var presenter = ObjectPresenter(profile: .phone)
    let side = Self.full([], direction: Vector3(1, 0, 0))
    #expect(presenter.object(side, token: Self.token).direction == nil)
    #expect(presenter.object(Self.full([]), token: Self.token).direction == simd_float3(0, 0, -1))
    #expect(presenter.object(side, token: Self.token).direction == simd_float3(1, 0, 0))
  }

  /// Outputs that a profile lacks are nil.
  @Test func profilesMaskOutputs() {
    for (profile, hasDirection) in [
      (DeviceProfile.phone, true), (.phoneWithoutDirection, false), (.phoneWithExtendedDistance, false),
      (.watch, false),
      (.androidWithAngleOfArrival, true), (.channelSounding, false),
    ] {
      var presenter = ObjectPresenter(profile: profile)
      #expect((presenter.object(Self.full([]), token: Self.token).direction != nil) == hasDirection)
      let range = RangeMeasurement(timestamp: Tape.start, peer: "tag", range: 2, azimuth: 0.5, elevation: 0.2)
      let object = presenter.object(profile.measured(range, own: nil, other: nil), token: Self.token)
      #expect((object.direction != nil) == hasDirection && object.distance == 2)
      if let direction = object.direction {
        // docs/formats.md: azimuth = atan2(u.x, -u.z), elevation = asin(u.y).
        #expect(abs(atan2(direction.x, -direction.z) - 0.5) < 1e-6 && abs(asin(direction.y) - 0.2) < 1e-6)
      }
    }
  }

  /// The session's own state comes with a nil object, and an angle may be known before convergence.
  @Test func convergenceIsReportedForObjectAndSession() throws {
    let device = Tape.device()
    let listener = Listener()
    let session = listener.session(on: device)
    let token = device.token(forPeer: "ahead")
    session.run(SessionTests.assisted(token))
    let tape = Tape(seconds: 12, peers: ["ahead": AxesTests.peers["ahead"]!], worldFromDevice: AxesTests.pose)
    try tape.world(device).playBlocking()
    let own = listener.convergence.filter { $0.1 == nil }.map(\.0)
    #expect(own.last == .converged, "the device is tracked")
    let reported = listener.convergence.filter { $0.1 != nil }
    #expect(reported.allSatisfy { $0.1?.discoveryToken == token } && reported.last?.0 == .converged)
    #expect(zip(reported, reported.dropFirst()).allSatisfy { $0.0 != $1.0 }, "only changes are reported")
    let early = listener.objects.first { $0.horizontalAngle != nil }
    #expect(early?.estimate?.convergence.status == .notConverged, "the angle does not wait for convergence")
  }
}

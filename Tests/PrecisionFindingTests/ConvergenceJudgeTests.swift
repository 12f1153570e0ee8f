import Geometry
import PrecisionFinding
import Testing

@Suite struct ConvergenceJudgeTests {
  static let judge = ConvergenceJudge(FinderConfiguration())
  static let good = Beliefs.balls([(1, Vector3(1, 5, 0))], sigma: 0.05)
  /// Azimuth known, height a mirror image.
  static let upOrDown = Beliefs.balls([(1, Vector3(0, 4, 2)), (1, Vector3(0, 4, -2))], sigma: 0.1)
  /// All known but for half a percent elsewhere.
  static let rival = Beliefs.balls([(0.995, Vector3(0, 5, 0)), (0.005, Vector3(5, 0, 0))], sigma: 0.02)

  struct Row: Sendable {
    var name: String
    var belief: PosteriorView
    var vertical: VerticalDirectionEstimate
    /// The reasons that the posterior gives.
    var reasons: [Convergence.Reason]
  }

  static let rows = [
    Row(name: "sphere", belief: Beliefs.sphere, vertical: .unknown, reasons: [.insufficientMovement]),
    Row(name: "ring", belief: Beliefs.ring, vertical: .unknown, reasons: [.insufficientHorizontalSweep]),
    Row(name: "up or down", belief: upOrDown, vertical: .aboveOrBelow, reasons: [.insufficientVerticalSweep]),
    Row(name: "rival", belief: rival, vertical: .same, reasons: [.insufficientVerticalSweep]),
    Row(name: "good, level unknown", belief: good, vertical: .unknown, reasons: [.insufficientVerticalSweep]),
    Row(name: "good, side open", belief: good, vertical: .aboveOrBelow, reasons: [.insufficientVerticalSweep]),
    Row(name: "good, same", belief: good, vertical: .same, reasons: []),
    Row(name: "good, above", belief: good, vertical: .above, reasons: []),
    Row(name: "good, below", belief: good, vertical: .below, reasons: []),
  ]

  /// Every posterior with every fault of light and signal: converged exactly when all is published and no rival is left.
  @Test func convergedExactlyWhenAllIsPublished() {
    for row in Self.rows {
      for dark in [false, true] {
        for weak in [false, true] {
          let readout = Beliefs.readout(row.belief)
          let found = Self.judge.judge(
            .init(readout: readout, vertical: row.vertical, dark: dark, weakness: weak ? [.weakRate] : []))
          let published =
            readout.angle != nil && !found.withholdsAngle && [.same, .above, .below].contains(row.vertical)
            && readout.positionIsGood && readout.rivals <= 0.001
          #expect((found.status == .converged) == published, "\(row.name), dark \(dark), weak \(weak)")
          #expect((found.status == .converged) == found.reasons.isEmpty)
          #expect((found.guidance == nil) == (found.status == .converged))
          if found.status == .converged { continue }
          let expected =
            (dark ? [.insufficientLighting] : []) + row.reasons + (weak ? [.insufficientSignalStrength] : [])
          #expect(found.reasons == expected, "\(row.name), dark \(dark), weak \(weak)")
        }
      }
    }
  }

  /// Nearby Interaction's gating matrix: movement, horizontal sweep and lighting withhold angle and vertical estimate,
  /// vertical sweep and signal strength never do.
  @Test func onlyThreeReasonsWithholdTheAngle() {
    let withholding: Set<Convergence.Reason> = [
      .insufficientMovement, .insufficientHorizontalSweep, .insufficientLighting,
    ]
    for reason in Convergence.Reason.allCases {
      let convergence = Convergence(status: .notConverged, reasons: [reason])
      #expect(convergence.withholdsAngle == withholding.contains(reason))
      #expect(convergence.guidance == reason.guidance && !reason.guidance.isEmpty)
    }
    #expect(!Convergence(status: .converged).withholdsAngle && !Convergence(status: .unknown).withholdsAngle)
    #expect(Set(Convergence.Reason.allCases.map(\.guidance)).count == 5, "one sentence each")
  }

  /// Who stands at the peer, or under it, is not asked for a sweep on the spot: no sweep makes an azimuth.
  @Test func whoIsNearIsAskedToMoveAbout() {
    for belief in [
      Beliefs.balls([(1, Vector3(0, 0.3, 0))], sigma: 0.02), Beliefs.balls([(1, Vector3(0.1, 0, 2))], sigma: 0.1),
      Beliefs.balls([(1, Vector3(0, 0.2, 0.3)), (1, Vector3(0, -0.2, 0.3))], sigma: 0.02),
    ] {
      let readout = Beliefs.readout(belief)
      #expect(readout.noAngle == .near && readout.progress > 0 && readout.progress < 1)
      #expect(Self.judge.open(readout, .unknown) == [.near])
      let found = Self.judge.judge(.init(readout: readout, vertical: .unknown, dark: false, weakness: []))
      #expect(found == Convergence(status: .notConverged, reasons: [.insufficientMovement]) && found.withholdsAngle)
    }
  }

  /// What is left open, in finer words: each has one of the five reasons, and the reasons are theirs.
  @Test func reasonsAreThoseOfTheFindings() {
    func open(_ belief: PosteriorView, _ vertical: VerticalDirectionEstimate) -> [PublicationObstacle] {
      Self.judge.open(Beliefs.readout(belief), vertical)
    }
    #expect(open(Beliefs.sphere, .unknown) == [.unexplored] && open(Beliefs.ring, .unknown) == [.ambiguous])
    let wide = Beliefs.one(Vector3(0, 5, 0), radial: 0.1, across: 1.2, up: 0.1)
    #expect(open(wide, .same) == [.wide])
    #expect(open(Self.good, .unknown) == [.heightUndecided] && open(Self.good, .same).isEmpty)
    #expect(open(Self.upOrDown, .aboveOrBelow) == [.heightUndecided, .positionTooWide, .rivals])
    for row in Self.rows { #expect(Set(open(row.belief, row.vertical).map(\.reason)) == Set(row.reasons)) }
  }

  @Test func beforeThereIsAnythingItIsUnknown() {
    func judged(dark: Bool, weak: Bool) -> Convergence {
      Self.judge.judge(.init(readout: nil, vertical: .unknown, dark: dark, weakness: weak ? [.weakRate] : []))
    }
    #expect(judged(dark: false, weak: false) == Convergence(status: .unknown))
    #expect(judged(dark: true, weak: false) == Convergence(status: .notConverged, reasons: [.insufficientLighting]))
    let weak = Convergence(status: .notConverged, reasons: [.insufficientSignalStrength])
    #expect(judged(dark: false, weak: true) == weak)
  }

  /// While no range comes, or only the last one again, no motion helps; light comes first.
  @Test(arguments: [PublicationObstacle.stale, .repeated, .weakRate]) func silenceIsNoMatterOfMotion(weakness: PublicationObstacle) {
    func asked(dark: Bool) -> Convergence {
      Self.judge.judge(
        .init(readout: Beliefs.readout(Beliefs.ring), vertical: .unknown, dark: dark, weakness: [weakness]))
    }
    let found = asked(dark: false)
    #expect(found.reasons == [.insufficientHorizontalSweep, .insufficientSignalStrength])
    #expect(found.request == (weakness == .weakRate ? .insufficientHorizontalSweep : .insufficientSignalStrength))
    #expect(asked(dark: true).request == .insufficientLighting)
  }

  /// Beside an angle only a vertical sweep may be missing; what is asked for is the motion that narrows the place.
  @Test func theWiderAxisIsAskedFor() {
    func judged(across: Double, up: Double, _ vertical: VerticalDirectionEstimate) -> Convergence {
      let readout = Beliefs.readout(Beliefs.one(Vector3(0, 7, 0), radial: 0.1, across: across, up: up))
      return Self.judge.judge(.init(readout: readout, vertical: vertical, dark: false, weakness: []))
    }
    let (flat, tall) = (judged(across: 1.05, up: 0.3, .same), judged(across: 0.3, up: 1.2, .same))
    #expect(flat.reasons == [.insufficientVerticalSweep] && tall.reasons == flat.reasons)
    #expect(flat.guidance == Convergence.Reason.insufficientHorizontalSweep.guidance && !flat.withholdsAngle)
    #expect(tall.guidance == Convergence.Reason.insufficientVerticalSweep.guidance)
    // The side comes first: it is what an angle alone leaves open.
    #expect(judged(across: 1.05, up: 0.3, .aboveOrBelow).asked == nil)
    #expect(judged(across: 0.2, up: 0.2, .same).status == .converged)
  }
}

import Foundation
import Geometry
import PrecisionFinding
import Testing

@Suite struct PublicationRulesTests {
  static let rule = PublicationRules(FinderConfiguration())
  static let good = SampleViews.balls([(1, Vector3(1, 5, 0))], sigma: 0.05)
  /// Azimuth known, a vertical ambiguity left.
  static let upOrDown = SampleViews.balls([(1, Vector3(0, 4, 2)), (1, Vector3(0, 4, -2))], sigma: 0.1)
  /// All known but for half a percent elsewhere.
  static let competing = SampleViews.balls([(0.995, Vector3(0, 5, 0)), (0.005, Vector3(5, 0, 0))], sigma: 0.02)

  struct Row: Sendable {
    var name: String
    var view: PosteriorView
    var vertical: VerticalDirectionEstimate
    /// The reasons from the posterior.
    var reasons: [Convergence.Reason]
  }

  static let rows = [
    Row(name: "sphere", view: SampleViews.sphere, vertical: .unknown, reasons: [.insufficientMovement]),
    Row(name: "ring", view: SampleViews.ring, vertical: .unknown, reasons: [.insufficientHorizontalSweep]),
    Row(name: "up or down", view: upOrDown, vertical: .aboveOrBelow, reasons: [.insufficientVerticalSweep]),
    Row(name: "competing mode", view: competing, vertical: .same, reasons: [.insufficientVerticalSweep]),
    Row(name: "good, level unknown", view: good, vertical: .unknown, reasons: [.insufficientVerticalSweep]),
    Row(name: "good, side open", view: good, vertical: .aboveOrBelow, reasons: [.insufficientVerticalSweep]),
    Row(name: "good, same", view: good, vertical: .same, reasons: []),
    Row(name: "good, above", view: good, vertical: .above, reasons: []),
    Row(name: "good, below", view: good, vertical: .below, reasons: []),
  ]

  /// Every posterior with every fault of light and signal: converged exactly when all is published and no competing
  /// mode is left.
  @Test func convergedExactlyWhenAllIsPublished() {
    for row in Self.rows {
      for dark in [false, true] {
        for weak in [false, true] {
          let estimate = SampleViews.estimate(row.view)
          let found = Self.rule.convergence(
            .init(estimate: estimate, vertical: row.vertical, dark: dark, weakness: weak ? [.weakRate] : []))
          let published =
            estimate.angle != nil && !found.withholdsAngle && [.same, .above, .below].contains(row.vertical)
            && estimate.positionIsGood && estimate.probabilityBeyond20Degrees <= 0.005
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

  /// A device at the peer, or under it, is not asked for a sweep on the spot: no sweep gives an azimuth.
  @Test func aNearPeerAsksForMovement() {
    for view in [
      SampleViews.balls([(1, Vector3(0, 0.3, 0))], sigma: 0.02),
      SampleViews.balls([(1, Vector3(0.1, 0, 2))], sigma: 0.1),
      SampleViews.balls([(1, Vector3(0, 0.2, 0.3)), (1, Vector3(0, -0.2, 0.3))], sigma: 0.02),
    ] {
      let estimate = SampleViews.estimate(view)
      #expect(estimate.noAngle == .near && estimate.progress > 0 && estimate.progress < 1)
      #expect(Self.rule.obstacles(estimate, .unknown) == [.near])
      let found = Self.rule.convergence(.init(estimate: estimate, vertical: .unknown, dark: false, weakness: []))
      #expect(found == Convergence(status: .notConverged, reasons: [.insufficientMovement]) && found.withholdsAngle)
    }
  }

  /// Each obstacle that is left has one of the five reasons, and the reasons are theirs.
  @Test func reasonsAreThoseOfTheObstacles() {
    func obstacles(_ view: PosteriorView, _ vertical: VerticalDirectionEstimate) -> [PublicationObstacle] {
      Self.rule.obstacles(SampleViews.estimate(view), vertical)
    }
    #expect(
      obstacles(SampleViews.sphere, .unknown) == [.unexplored] && obstacles(SampleViews.ring, .unknown) == [.ambiguous])
    let wide = SampleViews.one(Vector3(0, 5, 0), radial: 0.1, across: 1.2, up: 0.1)
    #expect(obstacles(wide, .same) == [.wide])
    #expect(obstacles(Self.good, .unknown) == [.heightUndecided] && obstacles(Self.good, .same).isEmpty)
    #expect(obstacles(Self.upOrDown, .aboveOrBelow) == [.heightUndecided, .positionTooWide, .competingModes])
    for row in Self.rows { #expect(Set(obstacles(row.view, row.vertical).map(\.reason)) == Set(row.reasons)) }
  }

  @Test func beforeThereIsAnythingItIsUnknown() {
    func evaluated(dark: Bool, weak: Bool) -> Convergence {
      Self.rule.convergence(.init(estimate: nil, vertical: .unknown, dark: dark, weakness: weak ? [.weakRate] : []))
    }
    #expect(evaluated(dark: false, weak: false) == Convergence(status: .unknown))
    #expect(evaluated(dark: true, weak: false) == Convergence(status: .notConverged, reasons: [.insufficientLighting]))
    let weak = Convergence(status: .notConverged, reasons: [.insufficientSignalStrength])
    #expect(evaluated(dark: false, weak: true) == weak)
  }

  /// While no range comes, or only duplicates, no motion helps; light comes first.
  @Test(arguments: [PublicationObstacle.stale, .repeated, .weakRate]) func silenceIsNoMatterOfMotion(
    weakness: PublicationObstacle
  ) {
    func asked(dark: Bool) -> Convergence {
      Self.rule.convergence(
        .init(estimate: SampleViews.estimate(SampleViews.ring), vertical: .unknown, dark: dark, weakness: [weakness]))
    }
    let found = asked(dark: false)
    #expect(found.reasons == [.insufficientHorizontalSweep, .insufficientSignalStrength])
    #expect(found.request == (weakness == .weakRate ? .insufficientHorizontalSweep : .insufficientSignalStrength))
    #expect(asked(dark: true).request == .insufficientLighting)
  }

  /// Beside an angle only a vertical sweep may be missing; the requested motion is the one that narrows the position.
  @Test func theWiderAxisIsAskedFor() {
    func evaluated(across: Double, up: Double, _ vertical: VerticalDirectionEstimate) -> Convergence {
      let estimate = SampleViews.estimate(SampleViews.one(Vector3(0, 7, 0), radial: 0.1, across: across, up: up))
      return Self.rule.convergence(.init(estimate: estimate, vertical: vertical, dark: false, weakness: []))
    }
    let (flat, tall) = (evaluated(across: 1.05, up: 0.3, .same), evaluated(across: 0.3, up: 1.2, .same))
    #expect(flat.reasons == [.insufficientVerticalSweep] && tall.reasons == flat.reasons)
    #expect(flat.guidance == Convergence.Reason.insufficientHorizontalSweep.guidance && !flat.withholdsAngle)
    #expect(tall.guidance == Convergence.Reason.insufficientVerticalSweep.guidance)
    // The side comes first: it is what an angle alone leaves open.
    #expect(evaluated(across: 1.05, up: 0.3, .aboveOrBelow).asked == nil)
    #expect(evaluated(across: 0.2, up: 0.2, .same).status == .converged)
  }
}

/// The page of the method shows the limits as they are.
@Suite struct PublicationPageTests {
  @Test func thePageHasTheTable() throws {
    let page = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../../docs/method/publication.md"), encoding: .utf8)
    let rows = [["measured", "limit", "withholds", "setting"], ["---", "---", "---", "---"]]
    let table = (rows + PublicationRules(FinderConfiguration()).table)
      .map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    let isThere = page.contains("\n\n" + table + "\n")
    #expect(isThere, "expected under ## Limits:\n\(table)")
  }
}

import Foundation
import PrecisionFinding
import SensorData
import Testing
import fuse

/// The story reports persistent changes, once, with the time they began.
@Suite struct StoryTests {
  private let start = Timestamp(nanoseconds: 1_000_000_000)

  private func update(
    _ seconds: Double, angle: Double? = nil, status: Convergence.Status = .notConverged,
    reason: Convergence.Reason? = .insufficientMovement
  ) -> NearbyUpdate {
    var object = NearbyObject(peer: "tag", quality: .precise)
    object.distance = 5
    object.distanceStandardDeviation = 0.1
    object.horizontalAngle = angle.map { .init(value: $0, standardDeviation: 0.05, low: $0 - 0.1, high: $0 + 0.1) }
    let convergence = Convergence(status: status, reasons: [reason].compactMap { $0 })
    return NearbyUpdate(
      timestamp: start.advanced(bySeconds: seconds), object: object, convergence: convergence,
      guidance: convergence.guidance)
  }

  @Test func theFirstLineComesAtOnceWithAHeader() {
    var story = Story(start: start)
    let lines = story.process(update(0.1))
    #expect(lines.count == 2)
    #expect(lines[0].contains("distance") && lines[0].contains("what happens"))
    #expect(lines[1].contains("0.1 s") && lines[1].contains("tag") && lines[1].contains("5.00 ± 0.10 m"))
    #expect(lines[1].hasSuffix("first distance · Move around a little."))
    #expect(story.process(update(0.2)).isEmpty)
  }

  @Test func aChangeIsReportedOnceItPersists() {
    var story = Story(start: start)
    _ = story.process(update(0))
    var lines: [String] = []
    for k in 1...30 { lines += story.process(update(0.1 * Double(k), angle: k >= 10 ? 0.5 : nil)) }
    #expect(lines.count == 1)
    #expect(lines[0].contains("1.0 s") && lines[0].contains("29° right ± 5.7°") && lines[0].contains("angle known"))
  }

  @Test func flickerIsNotReported() {
    var story = Story(start: start)
    _ = story.process(update(0))
    for k in 1...100 {
      #expect(story.process(update(0.1 * Double(k), angle: k.isMultiple(of: 2) ? 0.5 : nil)).isEmpty)
    }
  }

  @Test func convergenceAndItsLossAreOneLineEach() {
    var story = Story(start: start)
    _ = story.process(update(0))
    var lines: [String] = []
    for k in 1...60 {
      let good = (20..<40).contains(k)
      lines += story.process(
        update(
          0.1 * Double(k), angle: good ? 0.5 : nil, status: good ? .converged : .notConverged,
          reason: good ? nil : .insufficientHorizontalSweep))
    }
    #expect(lines.count == 3)
    #expect(lines[0].hasSuffix("Move your phone from side to side."))
    #expect(lines[1].contains("2.0 s") && lines[1].hasSuffix("angle known, converged"))
    #expect(lines[2].hasSuffix("angle lost, no longer converged · Move your phone from side to side."))
  }

  @Test func theSessionReportsAtOnce() {
    var story = Story(start: start)
    let dark = SessionUpdate(
      timestamp: start.advanced(bySeconds: 3),
      convergence: Convergence(status: .notConverged, reasons: [.insufficientLighting]), guidance: "More light.")
    #expect(story.process(dark).last?.hasSuffix("More light.") == true)
    #expect(story.process(dark).isEmpty)
  }

  /// A trajectory dropped in a pause has no guidance of its own: it has a text, and no row is empty.
  @Test func aDroppedTrajectoryIsReported() {
    func row(_ story: inout Story, _ seconds: Double, _ convergence: Convergence) -> String? {
      story.process(
        SessionUpdate(
          timestamp: start.advanced(bySeconds: seconds), convergence: convergence, guidance: convergence.guidance)
      ).last
    }
    let dark = Convergence(status: .notConverged, reasons: [.insufficientLighting])
    var story = Story(start: start)
    #expect(row(&story, 1, Convergence(status: .converged))?.hasSuffix("tracking the device") == true)
    #expect(row(&story, 12.5, dark)?.contains("tracking is at risk") == true)
    #expect(row(&story, 16, Convergence(status: .unknown))?.hasSuffix("dropped, waiting for a new one") == true)
    #expect(row(&story, 17, Convergence(status: .converged))?.hasSuffix("tracking the device") == true)
    var fromTheDark = Story(start: start)
    _ = row(&fromTheDark, 0.5, dark)
    #expect(row(&fromTheDark, 2, Convergence(status: .unknown))?.hasSuffix("no trajectory yet") == true)
    var silent = Story(start: start)
    #expect(row(&silent, 0, Convergence(status: .notConverged)) == nil, "nothing to report is no row")
  }

  @Test func anglesHaveSides() {
    #expect(Words.side(0.004) == "ahead")
    #expect(Words.side(-.pi / 2) == "90° left")
    #expect(Words.side(.pi) == "behind")
    #expect(Words.fixed(-0.001, 2) == "0.00")
  }
}

import Foundation
import PrecisionFinding
import SensorData
import Testing
import Wording
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
    #expect(lines.count == 4)
    #expect(lines[0].contains("±") && lines[0].contains("90 %"))
    #expect(lines[1].contains("distance") && lines[1].contains("what happens"))
    // 1.645 standard deviations of 0.1 m: the two ends of a 90 % interval.
    #expect(lines[2].hasPrefix("   0.1 tag ") && lines[2].contains(" 5.00 ± 0.16 m "))
    #expect(lines[2].hasSuffix("first distance") && lines[3].hasSuffix("Move around a little."))
    #expect(story.process(update(0.2)).isEmpty)
  }

  @Test func aChangeIsReportedOnceItPersists() {
    var story = Story(start: start)
    _ = story.process(update(0))
    var lines: [String] = []
    for k in 1...30 { lines += story.process(update(0.1 * Double(k), angle: k >= 10 ? 0.5 : nil)) }
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("   1.0 ") && lines[0].contains("29° right ± 5.7°") && lines[0].contains("angle known"))
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
    // What does not fit goes on below: each guidance takes two lines.
    let text = lines.map { $0.drop { $0 == " " } }
    #expect(lines.count == 7 && lines.allSatisfy { $0.count <= 80 })
    #expect(lines[0].hasSuffix("Move your phone from side to") && text[1] == "side.")
    #expect(lines[2].hasPrefix("   2.0 ") && lines[2].hasSuffix("angle known, converged"))
    #expect(lines[3].hasSuffix("angle lost, no longer") && text[4] == "converged")
    #expect(text[5] == "Move your phone from side to" && text[6] == "side.")
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
      let lines = story.process(
        SessionUpdate(
          timestamp: start.advanced(bySeconds: seconds), convergence: convergence, guidance: convergence.guidance))
      // Without the columns and the breaks within the words.
      return lines.isEmpty ? nil : lines.flatMap { $0.split(separator: " ") }.joined(separator: " ")
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

  /// Names, distances and angles of any length: 80 columns.
  @Test func nothingIsWider() {
    var story = Story(start: start)
    var far = update(12345.6, angle: -2.9)
    far.object.peer = "the tag in the living room"
    far.object.distance = 123.4
    far.object.distanceStandardDeviation = 12
    let lines = story.process(far)
    #expect(lines.allSatisfy { $0.count <= 80 } && lines.contains { $0.contains("the tag… ") })
  }

  @Test func anglesHaveSides() {
    #expect(Words.side(0.004) == "ahead")
    #expect(Words.side(-.pi / 2) == "90° left")
    #expect(Words.side(.pi) == "behind")
    #expect(Words.fixed(-0.001, 2) == "0.00")
  }
}

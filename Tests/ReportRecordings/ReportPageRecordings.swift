import Foundation
import Geometry
import Report
import ReportTestSupport
import Testing

/// Pages of long runs and of many peers.
@Suite struct ReportPageRecordings {
  /// A minute with four peers at 20 complete updates per second: under a megabyte. Longer recordings or more peers:
  /// little more.
  @Test(arguments: [(60, 4), (600, 1), (60, 40)])
  func sizeIsBounded(_ seconds: Int, _ peers: Int) throws {
    var run = HandMadeRun()
    run.seconds = seconds
    for k in 0..<(20 * seconds) {
      for peer in 0..<peers {
        run.peer = "peer-\(peer)"
        var update = run.update(0.05 * Double(k) + 1e-3 * Double(peer), error: Vector3(0.1234, -0.0567, 0.0891))
        update.distance = 4.0456 - 0.01234 * Double(k % 97)
        update.horizontalAngle?.value = 0.05678 * sin(Double(k))
        update.details = [
          "range": .number(4.0123 - 0.00321 * Double(k % 89)), "rangeUse": k % 9 == 0 ? "rejected" : "used",
          "innovation": .number(0.0123 * Double(k % 7)), "innovationStd": .number(0.1),
        ]
        update.reasons = k % 2 == 0 ? ["insufficientMovement"] : []
        run.updates.append(update)
      }
    }
    let size = ReportPage.html(try run.input()).count
    #expect(size < (peers > 4 ? 2_000_000 : 1_000_000))
    print("report of \(seconds) s with \(peers) peers: \(size) bytes")
  }
}

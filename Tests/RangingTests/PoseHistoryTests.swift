import Foundation
import Geometry
import Ranging
import Testing

@Suite struct PoseHistoryTests {
  private static func pose(_ x: Double, yaw: Double = 0) -> Pose {
    Pose(rotation: .yaw(yaw), translation: Vector3(x, 0, 0))
  }

  /// A tremor is no path; a step is its length, a turn by 30 degrees as much as 0.4 m.
  @Test func thePathIsThatOfPlaceAndAttitude() {
    var poses = PoseHistory()
    #expect(poses.visit(Self.pose(0)) == PoseVisit())
    for k in 0..<100 { #expect(poses.visit(Self.pose(0.01 * sin(Double(k)))).path == 0) }
    #expect(abs(poses.visit(Self.pose(0.3)).path - 0.3) < 1e-12)
    #expect(abs(poses.visit(Self.pose(0.3, yaw: .pi / 6)).path - 0.4) < 1e-12)
  }

  /// There and back: what is reached first is new, coming back is not, and the second time is more known than the first.
  @Test func comingBackIsTold() {
    var poses = PoseHistory()
    var found: [Double] = []
    for lap in 0..<3 {
      var revisits = 0.0
      for k in 0..<80 {
        let x = 0.05 * Double(k < 40 ? k : 80 - k)
        revisits += poses.visit(Self.pose(x)).revisits
      }
      found.append(revisits)
      if lap == 0 { #expect(poses.visit(Self.pose(30)).revisits == 0) }
    }
    #expect(found[0] > 1 && found[1] > 1.5 * found[0] && found[2] > found[1])
  }

  /// m visits together have the information of one with the variance `s^2 + k s^2 / m`, k being a quarter.
  @Test func visitsTogetherTellAsMuchAsTheirMean() {
    let noise = RangeNoise(white: 0.05, coloured: 0.1, correlationTime: .infinity, correlationLength: 0.4, law: .pose)
    let (s, k) = (0.01, 0.25)
    var information = 1 / (s * (1 + k))
    for m in 1...6 {
      information += 1 / (s * (1 + k) + noise.renewal(after: Double(m)))
      #expect(abs(information - 1 / (s + k * s / Double(m + 1))) < 1e-9)
    }
    let inTime = RangeNoise(white: 0.05, coloured: 0.1, correlationTime: 2, correlationLength: 20)
    #expect(inTime.renewal(after: 3) == 0 && noise.renewal(after: 0) == 0)
    #expect(
      noise.memory(after: 100, metres: 0) == 1 && abs(noise.memory(after: 0, metres: 3, path: 0.4) - exp(-1)) < 1e-12)
  }

  /// Ranges that were rather NLOS are not what was measured there; LOS ones count with their probability.
  @Test func obstructedRangesAreNotRemembered() throws {
    for (losProbability, count) in [(0.1, 0.0), (0.9, 3.6)] {
      var poses = PoseHistory()
      for k in 0..<14 {
        _ = poses.visit(Self.pose(0.4 * Double(max(k - 3, 0))), by: nil)
        poses.remember(k < 4 ? 5 : 9, antenna: .zero, by: nil, losProbability: losProbability)
      }
      let earlier = poses.visit(Self.pose(0.01), by: nil).earlier
      if count == 0 {
        #expect(earlier == nil)
      } else {
        #expect(try abs(#require(earlier).count - count) < 1e-12 && abs(#require(earlier).range - 5) < 1e-12)
      }
    }
  }

  /// What was measured at a pose is found again there, by antenna, and nowhere else.
  @Test func earlierRangesAreThoseOfThePose() throws {
    var poses = PoseHistory()
    func visit(_ x: Double, _ range: Double, id: String? = nil) -> PoseVisit {
      defer { poses.remember(range, antenna: Vector3(x, 0, 1), by: id, losProbability: 1) }
      return poses.visit(Self.pose(x), by: id)
    }
    for k in 0..<4 { #expect(visit(0, 5 + 0.1 * Double(k)).earlier == nil) }
    for k in 1..<10 { #expect(visit(0.4 * Double(k), 7).earlier == nil, "on the way out all is new") }
    let back = visit(0.02, 6)
    let earlier = try #require(back.earlier)
    #expect(back.revisits > 0.5 && earlier.count == 4 && abs(earlier.range - 5.15) < 1e-12)
    #expect(earlier.antenna == Vector3(0, 0, 1) && abs(earlier.path - 0.02) < 1e-12)
    #expect(visit(0, 6).earlier == nil, "the device is there already")
    for k in 1..<10 { _ = visit(0.4 * Double(k), 7, id: "b") }
    #expect(visit(0, 6, id: "b").earlier == nil, "the other antenna has not been there")
  }
}

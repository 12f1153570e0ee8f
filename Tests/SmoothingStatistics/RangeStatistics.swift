import Geometry
import Simulation
import Smoothing
import Testing

/// Peers that are level with the walk, at several heights.
@Suite struct RangeStatistics {
  static func measured(_ path: [Vector3], _ peer: Vector3, _ source: inout SeededRandom) -> [(
    antenna: Vector3, range: Double
  )] {
    path.map { ($0, ($0 - peer).norm + 0.08 + 0.05 * source.gaussian()) }
  }

  /// A peer level with the walk, and a path that is 4 % too short: the vertical is weakly observable, so descents along
  /// it are slow. A descent that stops early counts as a second mode. They stopped where damping vanished with the
  /// derivative.
  @Test(arguments: [0.5, 0.6, 0.7]) func findsAPeerLevelWithTheWalk(height: Double) throws {
    for seed in 1...4 {
      var source = SeededRandom(seed: UInt64(seed))
      let actual = Vector3(6, 5, 0.4)
      let walk = (0..<300).map { k in
        let s = 34 * Double(k) / 299
        return Vector3(max(s - 4, 0), max(4 - s, 0), height + 0.02 * source.gaussian())
      }
      let measured = Self.measured(walk, actual, &source).map { (antenna: 0.96 * $0.antenna, range: $0.range) }
      let answer = PeerSearch(measured).peer()
      let found = try #require(answer, "seed \(seed)")
      #expect((found.position - actual).norm < 1, "seed \(seed)")
    }
  }
}

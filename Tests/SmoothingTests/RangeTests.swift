import Geometry
import Inertial
import Simulation
import Smoothing
import TestSupport
import Testing

@Suite struct RangeTests {
  @Test func rangeJacobianIsTheDerivative() {
    var source = SeededRandom(seed: 1)
    for _ in 0..<20 {
      let state = SyntheticMotion.state(&source)
      let peer = StaticPeer(position: 5 * source.gaussian3(), bias: 0.1, scale: 0.02)
      let range = AnchoredRange(keyframe: 0, elapsed: 0.07, way: 0.3 * source.gaussian3(), range: 4)
      let numeric = FiniteDifferences.jacobian(inputs: 20) { d in
        [
          range.residual(
            state.plus(Array(d[..<15])), peer.plus(d[15...]), gravity: SyntheticMotion.gravity)
        ]
      }
      let (byState, byPeer) = range.jacobian(state, peer, gravity: SyntheticMotion.gravity)
      #expect(FiniteDifferences.largestDifference([byState + byPeer], numeric) < 1e-6)
    }
  }

  static func sights(_ path: [Vector3], _ peer: Vector3, _ source: inout SeededRandom) -> [(
    place: Vector3, range: Double
  )] {
    path.map { ($0, ($0 - peer).norm + 0.08 + 0.05 * source.gaussian()) }
  }

  /// A bent path in space tells the place; a straight or a level one leaves mirror images, and must not be believed.
  @Test func findsAPeerOnlyWhereThePathTellsItsPlace() throws {
    var source = SeededRandom(seed: 2)
    let actual = Vector3(4, -3, 1.5)
    func turned(_ k: Int, _ height: Double) -> Vector3 {
      let a = Rotation.yaw(0.03 * Double(k)) * Vector3(2, 0, 0)
      return a + Vector3(0, 0, height * (Rotation.yaw(0.1 * Double(k)) * Vector3(1, 0, 0)).x)
    }
    let inSpace = (0..<200).map { turned($0, 0.8) }
    let found = try #require(PeerSearch(Self.sights(inSpace, actual, &source)).peer())
    #expect((found.position - actual).norm < 0.3)
    let level = (0..<200).map { turned($0, 0) }
    #expect(PeerSearch(Self.sights(level, actual, &source)).peer() == nil)
    let straight = (0..<200).map { Vector3(0.03 * Double($0), 0, 0) }
    #expect(PeerSearch(Self.sights(straight, actual, &source)).peer() == nil)
    #expect(PeerSearch(Self.sights(Array(inSpace[..<20]), actual, &source)).peer() == nil)
  }

  /// A peer as high as a level walk, and a walk that has come out 4 % short: the ranges hardly tell the height, so descents along it are slow,
  /// and one that stops halfway passes for a second place. They stopped where the damping vanished with the slope.
  @Test(arguments: [0.5, 0.6, 0.7]) func findsAPeerThatIsLevelWithTheWalk(height: Double) throws {
    for seed in 1...4 {
      var source = SeededRandom(seed: UInt64(seed))
      let actual = Vector3(6, 5, 0.4)
      let walk = (0..<300).map { k in
        let s = 34 * Double(k) / 299
        return Vector3(max(s - 4, 0), max(4 - s, 0), height + 0.02 * source.gaussian())
      }
      let sights = Self.sights(walk, actual, &source).map { (place: 0.96 * $0.place, range: $0.range) }
      let answer = PeerSearch(sights).peer()
      let found = try #require(answer, "seed \(seed)")
      #expect((found.position - actual).norm < 1, "seed \(seed)")
    }
  }
}

import Geometry
import LeastSquares
import Simulation
import Smoothing
import Testing

@Suite struct PeerLeastSquaresTests {
  private static func path(_ source: inout SeededRandom) -> [Vector3] {
    (0..<120).map { _ in 1.5 * source.gaussian3() }
  }

  /// With independent errors and an exact path, as it assumes, its covariance is right.
  @Test func itsCovarianceIsRightWhereItsAssumptionsHold() throws {
    var nees = 0.0
    let trials = 60
    for seed in 0..<trials {
      var source = SeededRandom(seed: UInt64(seed))
      let peer = 5 * source.gaussian3(), bias = 0.1 * source.gaussian()
      let rows = Self.path(&source).map {
        PeerLeastSquares.Row(antenna: $0, range: ($0 - peer).norm + bias + 0.1 * source.gaussian(), sigma: 0.1)
      }
      let found = try #require(PeerLeastSquares(rows, biasSigma: 0.1).solution())
      let error = found.position - peer
      let root = try #require(SmallCholesky.root((0..<9).map { found.covariance[$0 / 3, $0 % 3] }, size: 3))
      nees += SmallCholesky.whitened([error.x, error.y, error.z], root).reduce(0) { $0 + $1 * $1 }
    }
    // Chi-squared with 3 degrees of freedom: mean 3, 3 sigma of the mean of 60 are 0.95; residuals only widen it.
    #expect((1.8...4).contains(nees / Double(trials)), "NEES \(nees / Double(trials))")
  }

  @Test func outliersMoveItLittle() throws {
    var source = SeededRandom(seed: 3)
    let peer = Vector3(4, -2, 1)
    let rows = Self.path(&source).enumerated().map { number, antenna in
      PeerLeastSquares.Row(
        antenna: antenna, range: (antenna - peer).norm + (number % 10 == 0 ? 5 : 0.05 * source.gaussian()), sigma: 0.05)
    }
    let found = try #require(PeerLeastSquares(rows).solution())
    #expect((found.position - peer).norm < 0.3)
  }

  @Test func anglesAndTheirSigmasByHand() throws {
    let solution = PeerLeastSquares.Solution(
      position: Vector3(0, 4, 3), covariance: Matrix3(diagonal: Vector3(0.04, 0.01, 0.01)))
    // A device that lies flat: ahead is its top edge, +y.
    let seen = solution.seen(from: .identity)
    #expect(abs(seen.distance - 5) < 1e-12 && abs(seen.angle) < 1e-12)
    #expect(abs(seen.angleSigma - 0.2 / 4) < 1e-12)
    #expect(abs(seen.distanceSigma - 0.1) < 1e-12)
  }

  /// A device at rest knows a distance: whatever is answered says that it knows no direction.
  @Test func withoutMotionNothingIsKnown() {
    let rows = (0..<50).map { _ in PeerLeastSquares.Row(antenna: .zero, range: 3, sigma: 0.1) }
    if let found = PeerLeastSquares(rows).solution() { #expect(found.seen(from: .identity).angleSigma > 1) }
    #expect(PeerLeastSquares(Array(rows.prefix(3))).solution() == nil)
    #expect(PeerLeastSquares([]).solution() == nil)
  }
}

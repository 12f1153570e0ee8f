import Estimator
import Geometry
import Simulation
import TestSupport
import Testing

/// A re-anchored landmark stays the same point.
@Suite struct ReanchoringTests {
  typealias Scene = FeatureConstraintTests

  @Test(arguments: Scene.inverseDistances()) func jacobiansAreTheDerivatives(inverseDistance: Double) throws {
    var source = SeededRandom(seed: 11)
    for _ in 0..<10 {
      let filter = try Scene.flown(&source, corrected: false)
      let old = filter.clones[0], new = filter.clones[3]
      let bearing = Vector3(0.5 * source.gaussian(), 0.5 * source.gaussian(), 1).normalized
      let point = AnchoredPoint(bearing: bearing, inverseDistance: inverseDistance)
      let change = try #require(Reanchoring(point, from: old, to: new))
      let (e1, e2) = change.point.tangents
      let numeric = FiniteDifferences.jacobian(inputs: 15) { (d: [Double]) -> [Double] in
        let from = Scene.moved(old.worldFromCamera, by: d[6..<12]), to = Scene.moved(new.worldFromCamera, by: d[0..<6])
        let moved = Reanchoring.moved(
          point.plus(Vector3(d[12], d[13], d[14])), from: from, to: to)!
        return [moved.bearing.dot(e1), moved.bearing.dot(e2), moved.inverseDistance]
      }
      let analytic = (0..<3).map { (i: Int) -> [Double] in
        var row = Array(change.byNew[6 * i..<6 * i + 6])
        row += change.byOld[6 * i..<6 * i + 6]
        row += change.byPoint[3 * i..<3 * i + 3]
        return row
      }
      #expect(FiniteDifferences.largestDifference(analytic, numeric) < 1e-6)
    }
  }

  /// Re-anchoring there and back restores point and Jacobian, also between estimates that differ from the first ones.
  @Test(arguments: Scene.inverseDistances()) func reanchoringThereAndBackIsTheIdentity(inverseDistance: Double) throws {
    var source = SeededRandom(seed: 12)
    for _ in 0..<10 {
      let filter = try Scene.flown(&source, corrected: true)
      let old = filter.clones[1], new = filter.clones[4]
      let point = AnchoredPoint(bearing: Vector3(0.2, -0.3, 1).normalized, inverseDistance: inverseDistance)
      let there = try #require(Reanchoring(point, from: old, to: new))
      let back = try #require(Reanchoring(there.point, from: new, to: old))
      #expect((back.point.bearing - point.bearing).norm < 1e-12)
      #expect(abs(back.point.inverseDistance - inverseDistance) < 1e-12)
      func matrix(_ a: [Double]) -> Matrix3 {
        Matrix3(rows: Vector3(a[0], a[1], a[2]), Vector3(a[3], a[4], a[5]), Vector3(a[6], a[7], a[8]))
      }
      // The tangents after re-anchoring there and back are rotated about the bearing.
      let (a1, a2) = point.tangents, (b1, b2) = back.point.tangents
      let rotation = Matrix3(
        rows: Vector3(b1.dot(a1), b1.dot(a2), 0), Vector3(b2.dot(a1), b2.dot(a2), 0), Vector3(0, 0, 1))
      let round = matrix(back.byPoint) * matrix(there.byPoint)
      for i in 0..<3 { for j in 0..<3 { #expect(abs(round[i, j] - rotation[i, j]) < 1e-9) } }
    }
  }

  /// No point and no crash: the new camera is at the point.
  @Test func aPointAtTheCameraCentreHasNoDirection() throws {
    var source = SeededRandom(seed: 13)
    let filter = try Scene.flown(&source, corrected: false)
    let old = filter.clones[0], new = filter.clones[4]
    let center = new.worldFromCamera.translation
    let point = Scene.anchored(old, center)
    #expect(Reanchoring(point, from: old, to: new) == nil)
  }

  /// The error of a point is defined along its tangents and nowhere singular: law `plus`, also along the axis.
  @Test func anchoredPointsMoveAlongTheirTangents() {
    var source = SeededRandom(seed: 14)
    for i in 0..<50 {
      let bearing = i == 0 ? Vector3(0, 0, 1) : i == 1 ? Vector3(0, 0, -1) : source.gaussian3().normalized
      let point = AnchoredPoint(bearing: bearing, inverseDistance: 0.3)
      #expect((point.bearing - bearing).norm < 1e-12)
      let (e1, e2) = point.tangents
      #expect(abs(e1.dot(e2)) < 1e-12 && abs(e1.dot(bearing)) < 1e-12 && (e1.cross(e2) - bearing).norm < 1e-12)
      let numeric = FiniteDifferences.jacobian(inputs: 3) { d in
        let moved = point.plus(Vector3(d[0], d[1], d[2]))
        return [moved.bearing.dot(e1), moved.bearing.dot(e2), moved.bearing.dot(bearing), moved.inverseDistance]
      }
      let expected: [[Double]] = [[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1]]
      #expect(FiniteDifferences.largestDifference(expected, numeric) < 1e-9)
    }
  }
}

import Foundation
import Geometry

/// Nearly uniform directions on the sphere.
///
/// Source: Gonzalez, "Measurement of areas on a sphere using Fibonacci and latitude-longitude lattices",
/// Mathematical Geosciences 42, 2010, doi:10.1007/s11004-009-9257-x.
package enum FibonacciLattice {
  /// `count` unit vectors; each stands for a solid angle of `4 pi / count`.
  package static func directions(_ count: Int) -> [Vector3] {
    let golden = Double.pi * (3 - 5.0.squareRoot())
    return (0..<count).map { i in
      let z = 1 - (2 * Double(i) + 1) / Double(count)
      let r = (1 - z * z).squareRoot()
      let angle = golden * Double(i)
      return Vector3(r * cos(angle), r * sin(angle), z)
    }
  }
}

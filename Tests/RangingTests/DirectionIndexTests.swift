import Foundation
import Geometry
import Ranging
import Simulation
import Testing

@Suite struct DirectionIndexTests {
  /// Who is within the angle is named, whatever the directions are like.
  @Test func everyNeighbourIsNamed() {
    var random = SeededRandom(seed: 91)
    let sphere = (0..<200).map { _ in random.direction() }
    let ring = (0..<200).map { _ in
      let turn = random.uniform(0...(2 * .pi))
      return Vector3(cos(turn), sin(turn), 0.01 * random.gaussian()).normalized
    }
    let same = [Vector3](repeating: sphere[0], count: 5)
    for directions in [sphere, ring, same] {
      let index = DirectionIndex(directions)
      for angle in [0, 1e-6, 0.01, 0.1, 0.5, 1.5] {
        for (i, a) in directions.enumerated() {
          let named = Set(index.candidates(near: i, sine: sin(angle)))
          #expect(named.contains(i))
          for (j, b) in directions.enumerated() where a.cross(b).norm <= sin(angle) && a.dot(b) > 0 {
            #expect(named.contains(j), "\(i) and \(j) at \(angle)")
          }
        }
      }
      #expect(index.candidates(near: 0, sine: 1.2).count >= directions.filter { $0.dot(directions[0]) > 0 }.count)
    }
  }

  /// Few others are named.
  @Test func fewStrangersAreNamed() {
    var random = SeededRandom(seed: 92)
    let directions = (0..<1000).map { _ in random.direction() }
    let index = DirectionIndex(directions)
    let named = directions.indices.reduce(0) { $0 + index.candidates(near: $1, sine: 0.05).count }
    // A band of a twentieth to either side is a twentieth of the sphere.
    #expect(named < 70 * directions.count)
  }
}

import Foundation
import Geometry
import Ranging
import Simulation
import Testing

@Suite struct DirectionIndexTests {
  /// All vectors within the angle are candidates, for any distribution of directions.
  @Test func everyNeighbourIsACandidate() {
    var random = SeededRandom(seed: 91)
    let sphere = (0..<200).map { _ in random.direction() }
    let ring = (0..<200).map { _ in
      let angle = random.uniform(0...(2 * .pi))
      return Vector3(cos(angle), sin(angle), 0.01 * random.gaussian()).normalized
    }
    let same = [Vector3](repeating: sphere[0], count: 5)
    for directions in [sphere, ring, same] {
      let index = DirectionIndex(directions)
      for angle in [0, 1e-6, 0.01, 0.1, 0.5, 1.5] {
        for (i, a) in directions.enumerated() {
          let candidates = Set(index.candidates(near: i, sine: sin(angle)))
          #expect(candidates.contains(i))
          for (j, b) in directions.enumerated() where a.cross(b).norm <= sin(angle) && a.dot(b) > 0 {
            #expect(candidates.contains(j), "\(i) and \(j) at \(angle)")
          }
        }
      }
      #expect(index.candidates(near: 0, sine: 1.2).count >= directions.filter { $0.dot(directions[0]) > 0 }.count)
    }
  }

  /// Few others are candidates.
  @Test func fewOthersAreCandidates() {
    var random = SeededRandom(seed: 92)
    let directions = (0..<1000).map { _ in random.direction() }
    let index = DirectionIndex(directions)
    let candidates = directions.indices.reduce(0) { $0 + index.candidates(near: $1, sine: 0.05).count }
    // A band of 0.05 to either side is a twentieth of the sphere.
    #expect(candidates < 70 * directions.count)
  }
}

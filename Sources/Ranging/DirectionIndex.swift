import Geometry

/// Unit vectors sorted along the axis of their largest variance, for neighbour queries that test few candidates.
package struct DirectionIndex {
  /// Coordinates along the axis in ascending order, and the index of each one's vector.
  private let coordinates: [Double]
  private let owners: [Int]
  /// Rank of each vector in that order.
  private let ranks: [Int]

  /// O(n log n).
  package init(_ directions: [Vector3]) {
    let mean = directions.reduce(Vector3.zero, +) / Double(max(directions.count, 1))
    let spread = directions.reduce(Vector3.zero) { $0 + ($1 - mean) * ($1 - mean) }
    let axis = (0..<3).max { spread[$0] < spread[$1] }!
    owners = directions.indices.sorted { (directions[$0][axis], $0) < (directions[$1][axis], $1) }
    coordinates = owners.map { directions[$0][axis] }
    var ranks = owners
    for (rank, owner) in owners.enumerated() { ranks[owner] = rank }
    self.ranks = ranks
  }

  /// All vectors within an angle of vector `i`, and some beyond it, in unspecified order. O(result).
  ///
  /// - Parameter sine: sine of the angle, at most a right angle; from 1 on the angle is a right one.
  package func candidates(near i: Int, sine: Double) -> ArraySlice<Int> {
    // The chord of the angle bounds the difference along any axis.
    let chord = (2 * (1 - max(1 - sine * sine, 0).squareRoot())).squareRoot() + 1e-9
    var (first, end) = (ranks[i], ranks[i] + 1)
    let own = coordinates[first]
    while first > 0, own - coordinates[first - 1] <= chord { first -= 1 }
    while end < coordinates.count, coordinates[end] - own <= chord { end += 1 }
    return owners[first..<end]
  }
}

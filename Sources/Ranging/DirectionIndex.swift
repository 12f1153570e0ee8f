import Geometry

/// Unit vectors sorted along one axis, the one along which they differ most: who is near whom is asked of few.
package struct DirectionIndex {
  /// Coordinates along the axis in rising order, and whose they are.
  private let coordinates: [Double]
  private let owners: [Int]
  /// Where each vector stands among them.
  private let places: [Int]

  /// O(n log n).
  package init(_ directions: [Vector3]) {
    let mean = directions.reduce(Vector3.zero, +) / Double(max(directions.count, 1))
    let spread = directions.reduce(Vector3.zero) { $0 + ($1 - mean) * ($1 - mean) }
    let axis = (0..<3).max { spread[$0] < spread[$1] }!
    owners = directions.indices.sorted { (directions[$0][axis], $0) < (directions[$1][axis], $1) }
    coordinates = owners.map { directions[$0][axis] }
    var places = owners
    for (place, owner) in owners.enumerated() { places[owner] = place }
    self.places = places
  }

  /// All within an angle of vector `i`, and some beyond it, in no order that means anything. O(those).
  ///
  /// - Parameter sine: of the angle, which is at most a right one; from 1 on it is that.
  package func candidates(near i: Int, sine: Double) -> ArraySlice<Int> {
    // Two unit vectors at an angle are its chord apart, along one axis at most that.
    let chord = (2 * (1 - max(1 - sine * sine, 0).squareRoot())).squareRoot() + 1e-9
    var (first, end) = (places[i], places[i] + 1)
    let own = coordinates[first]
    while first > 0, own - coordinates[first - 1] <= chord { first -= 1 }
    while end < coordinates.count, coordinates[end] - own <= chord { end += 1 }
    return owners[first..<end]
  }
}

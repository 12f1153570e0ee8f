/// The order of a link's state: three numbers for the place of the peer, then its biases.
///
/// `(place 0..<3, b, s, a_1 ... a_m, b_1 ... b_m, v, e)`: the constant bias of the link, its scale error (the radio's clock, or
/// the trajectory's own scale), a Gauss-Markov bias for each of the m antennas, and where m > 1 a constant bias for
/// each antenna, where the peer isMoving its velocity in the world, and the excess of a blocked sight. A range is `(1 + s) distance + b + a_j + b_j + e + n`.
package struct LinkLayout: Equatable, Sendable {
  private let antennas: [String]
  /// Whether the peer isMoving.
  package let isMoving: Bool

  /// A layout for a device with these antennas.
  package init(antennas: [String], isMoving: Bool = false) {
    self.antennas = antennas.sorted()
    self.isMoving = isMoving
  }

  /// The same antennas, with a peer that isMoving or stands.
  init(antennas layout: LinkLayout, isMoving: Bool) { (antennas, self.isMoving) = (layout.antennas, isMoving) }

  /// Number of antennas.
  package var antennaCount: Int { max(antennas.count, 1) }
  /// Size of the state.
  package var dimension: Int { velocity.upperBound + 1 }
  /// Index of the constant bias.
  package var bias: Int { 3 }
  /// Index of the scale error.
  package var scale: Int { 4 }
  /// Indices of the Gauss-Markov biases.
  package var coloured: Range<Int> { 5..<(5 + antennaCount) }
  /// Indices of the antennas' constant biases; empty with one antenna.
  package var antennaBiases: Range<Int> { (5 + antennaCount)..<(5 + antennaCount * (antennaCount > 1 ? 2 : 1)) }
  /// Indices of the velocity, m/s along the axes of the world; empty where the peer stands.
  package var velocity: Range<Int> { antennaBiases.upperBound..<(antennaBiases.upperBound + (isMoving ? 3 : 0)) }
  /// Index of the excess: zero with a free sight.
  package var excess: Int { dimension - 1 }

  /// Where the biases of one antenna stand; an unknown or missing id means the first.
  package func columns(of antenna: String?) -> BiasColumns {
    let k = antenna.flatMap { antennas.firstIndex(of: $0) } ?? 0
    return BiasColumns(coloured: 5 + k, constant: antennaCount > 1 ? 5 + antennaCount + k : nil)
  }
}

/// Where the biases of one antenna stand in a link's state.
package struct BiasColumns: Equatable, Sendable {
  /// Its Gauss-Markov bias.
  package let coloured: Int
  /// Its constant bias; nil with one antenna.
  package let constant: Int?
}

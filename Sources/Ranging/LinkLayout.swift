/// Order of a link's state: three numbers for the position of the peer, then the biases.
///
/// `(position 0..<3, b, s, a_1 ... a_m, b_1 ... b_m, v, e)`: the constant bias of the link, its scale error (of the
/// radio's clock, or of the trajectory), a Gauss-Markov bias for each of the m antennas, for m > 1 a constant bias for
/// each antenna, for a moving peer its velocity in the world, and the NLOS bias. A range is `(1 + s) distance + b + a_j
/// + b_j + e + n`; the whole model is in `RangeModel`.
package struct LinkLayout: Equatable, Sendable {
  private let antennas: [String]
  /// Whether the state has the peer's velocity.
  package let isMoving: Bool

  /// A layout for a device with these antennas.
  package init(antennas: [String], isMoving: Bool = false) {
    self.antennas = antennas.sorted()
    self.isMoving = isMoving
  }

  /// The same antennas, with a moving or a stationary peer.
  init(antennas layout: LinkLayout, isMoving: Bool) { (antennas, self.isMoving) = (layout.antennas, isMoving) }

  /// Number of antennas.
  package var antennaCount: Int { max(antennas.count, 1) }
  /// Number of states.
  package var dimension: Int { velocity.upperBound + 1 }
  /// Index of the constant bias.
  package var bias: Int { 3 }
  /// Index of the scale error.
  package var scale: Int { 4 }
  /// Indices of the Gauss-Markov biases.
  package var coloured: Range<Int> { 5..<(5 + antennaCount) }
  /// Indices of the antennas' constant biases; empty with one antenna.
  package var antennaBiases: Range<Int> { (5 + antennaCount)..<(5 + antennaCount * (antennaCount > 1 ? 2 : 1)) }
  /// Indices of the velocity, m/s along the axes of the world; empty for a stationary peer.
  package var velocity: Range<Int> { antennaBiases.upperBound..<(antennaBiases.upperBound + (isMoving ? 3 : 0)) }
  /// Index of the NLOS bias: zero under LOS.
  package var nlosBias: Int { dimension - 1 }

  /// Indices of one antenna's biases; an unknown or missing id means the first antenna.
  package func columns(of antenna: String?) -> BiasColumns {
    let k = antenna.flatMap { antennas.firstIndex(of: $0) } ?? 0
    return BiasColumns(coloured: 5 + k, constant: antennaCount > 1 ? 5 + antennaCount + k : nil)
  }
}

/// Indices of one antenna's biases in a link's state.
package struct BiasColumns: Equatable, Sendable {
  /// Its Gauss-Markov bias.
  package let coloured: Int
  /// Its constant bias; nil with one antenna.
  package let constant: Int?
}

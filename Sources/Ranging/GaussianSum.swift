import Foundation
import Geometry

/// Storage of the hypotheses of one link: Gaussians in anchored spherical coordinates.
///
/// A hypothesis says "the peer lies in direction u, at distance rho from the anchor `c` where the device was when directions
/// began to be told apart, under this noise". Its state is two tangent angles at u, the distance rho, and the biases of `LinkLayout`. In these
/// coordinates the first range is linear, and the curvature of later ones grows with the displacement from the anchor
/// only, not with the distance.
///
/// Hypotheses come in pairs: an even one with a free sight, and behind it the same with a blocked one, whose ranges have an
/// excess. So every direction can explain a spell of long ranges as a blocked sight at the price of its beginning, and
/// none can explain a contradiction away for free.
///
/// Four pairs lie side by side: a group has a cell for its free and one for its blocked halves, and a cell is a row of `Lanes`, the
/// numbers of four hypotheses each: direction, tangent, scalars, and the lower triangle of the covariance row by row. A range
/// touches every cell once, in order, without allocating.
package struct GaussianSum {
  /// Which of the state's entries are which.
  package let layout: LinkLayout
  /// Size of one hypothesis' state.
  package let dimension: Int
  /// Where the device was when directions began to be told apart (`follow` goes along until then), in the estimate's world, metres.
  package internal(set) var anchor: Vector3
  /// Candidates for the noise, each with the white part that its own hypotheses have learnt; a hypothesis names one by its index.
  package internal(set) var noises: [RangeNoise]
  /// Keep to what every processor has, though this one has more: slower, and the same to the bit. For tests: sets made from this
  /// one do not inherit it.
  package var usesBaseline = false

  package private(set) var count = 0
  package var logWeight: [Double] = []
  package private(set) var noise: [Int32] = []
  /// The direction of the lattice that a hypothesis comes from: neighbours that are told as one where there are many.
  package private(set) var node: [Int32] = []
  var cells: [Lanes] = []

  /// No hypothesis is nearer to the anchor than this, metres.
  static let nearest = 0.05
  /// Where in a cell the tangent, the scalars and the covariance begin.
  static let tangentOffset = 3
  static let scalarsOffset = 6
  let covarianceOffset: Int
  /// Lanes in a cell.
  let cellSize: Int

  package init(anchor: Vector3, layout: LinkLayout, noises: [RangeNoise]) {
    self.anchor = anchor
    self.noises = noises
    self.layout = layout
    dimension = layout.dimension
    covarianceOffset = Self.scalarsOffset + dimension - 2
    cellSize = Self.cellSize(layout)
  }

  /// Lanes in a cell of a link's hypotheses.
  static func cellSize(_ layout: LinkLayout) -> Int {
    scalarsOffset + layout.dimension - 2 + triangle(layout.dimension)
  }

  /// As many hypotheses as another set has, of the same weights, noises and nodes, under another layout; their numbers are zero.
  init(_ other: GaussianSum, layout: LinkLayout) {
    self.init(anchor: other.anchor, layout: layout, noises: other.noises)
    (count, logWeight, noise, node) = (other.count, other.logWeight, other.noise, other.node)
    cells = [Lanes](repeating: .zero, count: 2 * groups * cellSize)
  }

  /// Numbers in the lower triangle of `rows` rows: also where row `rows` begins.
  @inline(__always)
  static func triangle(_ rows: Int) -> Int { rows * (rows + 1) / 2 }

  /// Groups of four pairs, the last of which may not be full.
  var groups: Int { (count + 7) / 8 }

  /// The numbers of hypothesis `i`: every fourth one from the pointer on.
  @inline(__always)
  func withNumbers<R>(of i: Int, _ body: (UnsafePointer<Double>) -> R) -> R {
    cells.withUnsafeBufferPointer { cells in
      let cell = UnsafeRawPointer(cells.baseAddress! + (i / 8 * 2 + i % 2) * cellSize)
      return body(cell.assumingMemoryBound(to: Double.self) + i / 2 % 4)
    }
  }

  @inline(__always)
  private static func numbers(
    _ cells: UnsafeMutableBufferPointer<Lanes>, of i: Int, _ size: Int
  ) -> UnsafeMutablePointer<Double> {
    let cell = UnsafeMutableRawPointer(cells.baseAddress! + (i / 8 * 2 + i % 2) * size)
    return cell.assumingMemoryBound(to: Double.self) + i / 2 % 4
  }

  /// One hypothesis.
  package subscript(i: Int) -> MixtureComponent {
    get {
      MixtureComponent(
        logWeight: logWeight[i], direction: direction(i), tangent: tangent(i), noise: Int(noise[i]), node: Int(node[i]),
        scalars: scalars(i), covariance: covariance(i))
    }
    set {
      precondition(
        newValue.scalars.count == dimension - 2 && newValue.covariance.count == dimension * dimension,
        "sizes of a hypothesis")
      logWeight[i] = newValue.logWeight
      noise[i] = Int32(newValue.noise)
      node[i] = Int32(newValue.node)
      let (n, start, size) = (dimension, covarianceOffset, cellSize)
      cells.withUnsafeMutableBufferPointer { cells in
        let p = Self.numbers(cells, of: i, size)
        for k in 0..<3 {
          p[4 * k] = newValue.direction[k]
          p[4 * (Self.tangentOffset + k)] = newValue.tangent[k]
        }
        for k in newValue.scalars.indices { p[4 * (Self.scalarsOffset + k)] = newValue.scalars[k] }
        for r in 0..<n {
          for c in 0...r { p[4 * (start + Self.triangle(r) + c)] = newValue.covariance[r * n + c] }
        }
      }
    }
  }

  /// Adds a hypothesis: free ones and blocked ones in turn.
  package mutating func append(_ hypothesis: MixtureComponent) {
    addRoom(logWeight: 0, noise: 0, node: 0)
    self[count - 1] = hypothesis
  }

  /// Adds hypothesis `i` of another set with the same layout, in another direction.
  mutating func append(_ i: Int, of other: GaussianSum, direction: Vector3, tangent: Vector3, node: Int) {
    addRoom(logWeight: other.logWeight[i], noise: other.noise[i], node: Int32(node))
    let (last, size) = (count - 1, cellSize)
    cells.withUnsafeMutableBufferPointer { cells in
      let new = Self.numbers(cells, of: last, size)
      other.withNumbers(of: i) { old in for k in 0..<size { new[4 * k] = old[4 * k] } }
      for k in 0..<3 { (new[4 * k], new[4 * (Self.tangentOffset + k)]) = (direction[k], tangent[k]) }
    }
  }

  /// Makes room for so many hypotheses, which are to be appended.
  mutating func reserveCapacity(_ capacity: Int) {
    cells.reserveCapacity((capacity + 7) / 8 * 2 * cellSize)
    logWeight.reserveCapacity(capacity)
    noise.reserveCapacity(capacity)
    node.reserveCapacity(capacity)
  }

  private mutating func addRoom(logWeight: Double, noise: Int32, node: Int32) {
    if count % 8 == 0 { for _ in 0..<(2 * cellSize) { cells.append(.zero) } }
    count += 1
    self.logWeight.append(logWeight)
    self.noise.append(noise)
    self.node.append(node)
  }

  /// Keeps the hypotheses for which `keep` is true, in order; it must keep or drop both of a pair.
  package mutating func filter(_ keep: (Int) -> Bool) {
    var to = 0
    for i in 0..<count where keep(i) {
      if to != i {
        logWeight[to] = logWeight[i]
        noise[to] = noise[i]
        node[to] = node[i]
        let size = cellSize
        cells.withUnsafeMutableBufferPointer { cells in
          let (a, b) = (Self.numbers(cells, of: i, size), Self.numbers(cells, of: to, size))
          for k in 0..<size { b[4 * k] = a[4 * k] }
        }
      }
      to += 1
    }
    guard to < count else { return }
    count = to
    logWeight.removeLast(logWeight.count - to)
    noise.removeLast(noise.count - to)
    node.removeLast(node.count - to)
    cells.removeLast(cells.count - groups * 2 * cellSize)
  }
}

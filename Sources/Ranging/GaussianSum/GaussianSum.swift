import Foundation
import Geometry

/// Gaussian sum over the state of one link, in anchored spherical coordinates.
///
/// A component (hypothesis) is a Gaussian around "the peer lies in direction u at distance rho from the anchor `c`,
/// under this noise". The anchor is the device's position at the spawning of directions. The state is two tangent
/// angles at u, the distance rho, and the biases of `LinkLayout`. In these coordinates the first range is linear. The
/// curvature of later ranges grows with the displacement from the anchor only, not with the distance.
///
/// Components come in pairs: an even one for LOS, followed by one for NLOS, whose ranges have a bias. So every
/// direction can explain an NLOS interval at the price of its transition probability.
///
/// Four pairs lie side by side: a group has a cell for its LOS and one for its NLOS components. A cell is a row of
/// `Lanes`, the numbers of four components each: direction, tangent, scalars, and the lower triangle of the covariance
/// row by row. A range update touches every cell once, in order, without allocating.
package struct GaussianSum {
  /// Layout of the state.
  package let layout: LinkLayout
  /// Number of states.
  package let dimension: Int
  /// Origin of the spherical coordinates, in the estimate's world, metres. Until directions are spawned it follows the
  /// antenna (`moveAnchor`).
  package internal(set) var anchor: Vector3
  /// Noise candidates, each with the white part estimated from its components; a component refers to one by index.
  package internal(set) var noises: [RangeNoise]
  /// Uses the baseline kernel although the processor has AVX2: slower, with identical bits. For tests; sets made from
  /// this one do not inherit it.
  package var usesBaseline = false

  package private(set) var count = 0
  package var logWeight: [Double] = []
  package private(set) var noise: [Int32] = []
  /// Lattice direction from which a component was spawned: neighbours are merged for output where there are many.
  package private(set) var latticeDirection: [Int32] = []
  /// Velocity models of a moving peer, at least one; a component refers to one by index. Empty for a stationary peer.
  package var velocityModels: [PeerVelocityModel] = []
  package private(set) var velocityModel: [Int32] = []
  var cells: [Lanes] = []

  /// Smallest distance from the anchor, metres.
  static let nearest = 0.05
  /// Offsets of the tangent, the scalars and the covariance in a cell.
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

  /// Lanes in a cell with this layout.
  static func cellSize(_ layout: LinkLayout) -> Int {
    scalarsOffset + layout.dimension - 2 + triangle(layout.dimension)
  }

  /// As many components as another sum has, with the same weights and indices, under another layout; the states are
  /// zero. A stationary peer has no velocity model.
  init(_ other: GaussianSum, layout: LinkLayout) {
    self.init(anchor: other.anchor, layout: layout, noises: other.noises)
    (count, logWeight, noise, latticeDirection) = (other.count, other.logWeight, other.noise, other.latticeDirection)
    velocityModel = layout.isMoving ? other.velocityModel : [Int32](repeating: 0, count: count)
    cells = [Lanes](repeating: .zero, count: 2 * groups * cellSize)
  }

  /// Numbers in the lower triangle of `rows` rows: also where row `rows` begins.
  @inline(__always)
  static func triangle(_ rows: Int) -> Int { rows * (rows + 1) / 2 }

  /// Groups of four pairs; the last may not be full.
  var groups: Int { (count + 7) / 8 }

  /// Calls `body` with the numbers of component `i`: every fourth one from the pointer on.
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

  /// One component.
  package subscript(i: Int) -> MixtureComponent {
    get {
      MixtureComponent(
        logWeight: logWeight[i], direction: direction(i), tangent: tangent(i), noise: Int(noise[i]),
        latticeDirection: Int(latticeDirection[i]), velocityModel: Int(velocityModel[i]),
        scalars: scalars(i), covariance: covariance(i))
    }
    set {
      precondition(
        newValue.scalars.count == dimension - 2 && newValue.covariance.count == dimension * dimension,
        "sizes of a hypothesis")
      logWeight[i] = newValue.logWeight
      noise[i] = Int32(newValue.noise)
      latticeDirection[i] = Int32(newValue.latticeDirection)
      velocityModel[i] = Int32(newValue.velocityModel)
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

  /// Adds a component: LOS and NLOS in turn.
  package mutating func append(_ hypothesis: MixtureComponent) {
    addRoom(logWeight: 0, noise: 0, latticeDirection: 0, velocityModel: 0)
    self[count - 1] = hypothesis
  }

  /// Adds component `i` of another sum with the same layout, in another direction.
  mutating func append(_ i: Int, of other: GaussianSum, direction: Vector3, tangent: Vector3, latticeDirection: Int) {
    addRoom(
      logWeight: other.logWeight[i], noise: other.noise[i], latticeDirection: Int32(latticeDirection),
      velocityModel: other.velocityModel[i])
    let (last, size) = (count - 1, cellSize)
    cells.withUnsafeMutableBufferPointer { cells in
      let new = Self.numbers(cells, of: last, size)
      other.withNumbers(of: i) { old in for k in 0..<size { new[4 * k] = old[4 * k] } }
      for k in 0..<3 { (new[4 * k], new[4 * (Self.tangentOffset + k)]) = (direction[k], tangent[k]) }
    }
  }

  /// Copies the state of component `i` from a sum with as many components and the same layout.
  mutating func copyNumbers(of i: Int, from other: GaussianSum) {
    let size = cellSize
    cells.withUnsafeMutableBufferPointer { cells in
      let new = Self.numbers(cells, of: i, size)
      other.withNumbers(of: i) { old in for k in 0..<size { new[4 * k] = old[4 * k] } }
    }
  }

  /// Reserves memory for `capacity` components.
  mutating func reserveCapacity(_ capacity: Int) {
    cells.reserveCapacity((capacity + 7) / 8 * 2 * cellSize)
    logWeight.reserveCapacity(capacity)
    noise.reserveCapacity(capacity)
    latticeDirection.reserveCapacity(capacity)
    velocityModel.reserveCapacity(capacity)
  }

  private mutating func addRoom(logWeight: Double, noise: Int32, latticeDirection: Int32, velocityModel: Int32) {
    if count % 8 == 0 { for _ in 0..<(2 * cellSize) { cells.append(.zero) } }
    count += 1
    self.logWeight.append(logWeight)
    self.noise.append(noise)
    self.latticeDirection.append(latticeDirection)
    self.velocityModel.append(velocityModel)
  }

  /// Keeps the components for which `keep` is true, in order; it must keep or drop both of a pair.
  package mutating func filter(_ keep: (Int) -> Bool) {
    var to = 0
    for i in 0..<count where keep(i) {
      if to != i {
        logWeight[to] = logWeight[i]
        noise[to] = noise[i]
        latticeDirection[to] = latticeDirection[i]
        velocityModel[to] = velocityModel[i]
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
    latticeDirection.removeLast(latticeDirection.count - to)
    velocityModel.removeLast(velocityModel.count - to)
    cells.removeLast(cells.count - groups * 2 * cellSize)
  }
}

/// Read access to single components.
extension GaussianSum {
  /// Unit vector from the anchor to the peer in component `i`.
  package func direction(_ i: Int) -> Vector3 { withNumbers(of: i) { Vector3($0[0], $0[4], $0[8]) } }

  /// The first tangent, a unit vector; the second is the direction's cross product with it.
  package func tangent(_ i: Int) -> Vector3 {
    withNumbers(of: i) { p in
      let at = 4 * Self.tangentOffset
      return Vector3(p[at], p[at + 4], p[at + 8])
    }
  }

  /// `dimension - 2` numbers: rho, then the biases as in `layout`.
  package func scalars(_ i: Int) -> [Double] {
    withNumbers(of: i) { p in (0..<(dimension - 2)).map { p[4 * (Self.scalarsOffset + $0)] } }
  }

  /// Row-major, `dimension` squared.
  package func covariance(_ i: Int) -> [Double] {
    let n = dimension
    var result = [Double](repeating: 0, count: n * n)
    withNumbers(of: i) { p in
      for r in 0..<n {
        for c in 0...r {
          let value = p[4 * (covarianceOffset + Self.triangle(r) + c)]
          (result[r * n + c], result[c * n + r]) = (value, value)
        }
      }
    }
    return result
  }

  /// Metres from the anchor.
  func rho(_ i: Int) -> Double { withNumbers(of: i) { $0[4 * Self.scalarsOffset] } }

  /// The peer's position in component `i`, world, metres.
  package func position(_ i: Int) -> Vector3 { anchor + rho(i) * direction(i) }
}

/// One component of a `GaussianSum` by itself.
package struct MixtureComponent {
  /// Natural logarithm of its weight.
  package var logWeight: Double
  /// Direction from the anchor to the peer, and a tangent at it; unit vectors.
  package var direction, tangent: Vector3
  /// Index of its noise candidate.
  package var noise: Int
  /// Lattice direction from which it was spawned.
  package var latticeDirection: Int
  /// Index of the velocity model of a moving peer.
  package var velocityModel: Int
  /// `dimension - 2` numbers: rho, then the biases as in `LinkLayout`.
  package var scalars: [Double]
  /// `dimension^2` numbers, row-major, symmetric.
  package var covariance: [Double]

  package init(
    logWeight: Double, direction: Vector3, tangent: Vector3, noise: Int, latticeDirection: Int = 0,
    velocityModel: Int = 0, scalars: [Double], covariance: [Double]
  ) {
    self.logWeight = logWeight
    self.direction = direction
    self.tangent = tangent
    self.noise = noise
    self.latticeDirection = latticeDirection
    self.velocityModel = velocityModel
    self.scalars = scalars
    self.covariance = covariance
  }

  /// Adds an error state: the direction by its two tangent angles, everything else by sums.
  mutating func move(by step: [Double]) {
    GaussianSum.move(&direction, &tangent, step[0], step[1])
    for k in scalars.indices { scalars[k] += step[k + 2] }
    scalars[0] = max(scalars[0], GaussianSum.nearest)
  }

  /// Moment-matched merge of two components, in the tangent plane of the heavier one.
  package func merged(with other: MixtureComponent) -> MixtureComponent {
    let (a, b) = other.logWeight > logWeight ? (other, self) : (self, other)
    var result = a
    let n = scalars.count + 2
    let w = GaussianSum.lighterWeight(exp(b.logWeight - a.logWeight))
    result.logWeight = a.logWeight - log(1 - w)
    let offset =
      [a.tangent.dot(b.direction), a.direction.cross(a.tangent).dot(b.direction)]
      + zip(b.scalars, a.scalars).map { $0 - $1 }
    for r in 0..<n {
      for c in 0..<n {
        result.covariance[r * n + c] +=
          w * (b.covariance[r * n + c] - a.covariance[r * n + c]) + w * (1 - w) * offset[r] * offset[c]
      }
    }
    result.move(by: offset.map { w * $0 })
    return result
  }
}

import Geometry

/// The range error of an antenna that depends on the peer's direction in the device: a smooth function over the sphere, the
/// same for all peers.
///
/// A rotation-invariant Gaussian function with the covariance `s^2 / L sum_(l = 1...L) P_l(cos)` over the angle between two
/// directions: `s / sqrt(n) sum_k g_k sqrt(2 l + 1) P_l(w_k . u)`, `g_k` normal, `w_k` uniform on the sphere, because the mean of `P_l(w . u) P_l(w . v)`
/// over w is `P_l(u . v) / (2 l + 1)` (addition theorem of spherical harmonics).
struct AntennaPattern {
  /// Lobes of each degree.
  private static let count = 32

  private var lobes: [(axis: Vector3, degree: Int, size: Double)] = []

  /// - Parameter random: the next pattern of a device; nothing is drawn without a pattern.
  init(_ settings: Scenario.Radio, _ random: inout SeededRandom) {
    guard settings.patternDeviation > 0 else { return }
    let scale = settings.patternDeviation / Double(Self.count * settings.patternDegree).squareRoot()
    for degree in 1...settings.patternDegree {
      for _ in 0..<Self.count {
        let axis = random.direction()
        lobes.append((axis, degree, scale * Double(2 * degree + 1).squareRoot() * random.gaussian()))
      }
    }
  }

  /// One pattern for each antenna of a device, in the order of their names.
  static func patterns(_ settings: Scenario.Radio, seed: UInt64) -> [AntennaPattern] {
    var random = RandomStream.antennaPattern.generator(seed: seed)
    return settings.antennas.map { _ in AntennaPattern(settings, &random) }
  }

  /// The error for a peer in this direction, device axes, a unit vector; metres.
  func error(toward direction: Vector3) -> Double {
    lobes.reduce(0) { $0 + $1.size * Self.legendre($1.degree, $1.axis.dot(direction)) }
  }

  /// P_l(x) by Bonnet's recursion.
  private static func legendre(_ degree: Int, _ x: Double) -> Double {
    var (before, value) = (1.0, x)
    for l in stride(from: 1.0, to: Double(degree), by: 1) {
      (before, value) = (value, ((2 * l + 1) * x * value - l * before) / (l + 1))
    }
    return value
  }
}

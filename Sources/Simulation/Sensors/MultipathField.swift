import Foundation
import Geometry

/// A range error that is bound to the pose: reflections shift the first path by an amount that stays while antenna, device
/// and peer do.
///
/// A stationary Gaussian field of the antenna's place x, the attitude R and the peer's displacement y from its first place,
/// with the covariance
///
///     s^2 exp(-(|x - x'|^2 + |y - y'|^2) / (2 l^2)) exp(-(1 - cos(R, R')) / a^2),
///
/// where cos(R, R') is the cosine of the angle between two attitudes, for small angles `exp(-angle^2 / (2 a^2))`. By random Fourier features,
/// `e = s sqrt(2 / n) sum_k cos(w_k . x + v_k . y + <M_k, R> + p_k)`, `w_k, v_k ~ N(0, I / l^2)`, p_k uniform. M_k has nine normal entries of
/// variance `1 / (2 a^2)`: the Frobenius distance of two rotations is `|R - R'|^2 = 4 (1 - cos(R, R'))`.
/// Source: Rahimi and Recht, "Random features for large-scale kernel machines", NIPS 2007.
struct MultipathField {
  private static let count = 64

  private struct Wave {
    var number: Vector3
    var phase: Double
    /// Rows of M_k; zero where the attitude does not matter.
    var attitude: (Vector3, Vector3, Vector3) = (.zero, .zero, .zero)
    var peer = Vector3.zero
  }

  private let scale: Double
  private var waves: [Wave] = []

  /// The field of a peer.
  init(_ settings: Scenario.Radio, peer index: Int, seed: UInt64) {
    scale = settings.multipathDeviation * (2 / Double(Self.count)).squareRoot()
    guard scale > 0 else { return }
    let length = settings.multipathLength
    var places = SeededRandom(seed: seed, stream: RandomStream.multipath(peer: index))
    var poses = SeededRandom(seed: seed, stream: RandomStream.multipathPose(peer: index))
    for _ in 0..<Self.count {
      var wave = Wave(number: places.gaussian3() / length, phase: places.uniform(0...(2 * .pi)))
      let rows = (poses.gaussian3(), poses.gaussian3(), poses.gaussian3())
      if let angle = settings.multipathAngle {
        let size = 0.5.squareRoot() / angle
        wave.attitude = (size * rows.0, size * rows.1, size * rows.2)
      }
      wave.peer = poses.gaussian3() / length
      waves.append(wave)
    }
  }

  /// The error at an antenna's place and an attitude of the device, world axes; metres.
  ///
  /// - Parameter displacement: of the peer from its first place, world axes, metres.
  func error(at place: Vector3, worldFromDevice: Rotation, peerMovedBy displacement: Vector3) -> Double {
    guard scale > 0 else { return 0 }
    let axes = worldFromDevice.matrix
    return scale
      * waves.reduce(0) { sum, wave in
        let turn = wave.attitude.0.dot(axes.c0) + wave.attitude.1.dot(axes.c1) + wave.attitude.2.dot(axes.c2)
        return sum + cos(wave.number.dot(place) + wave.phase + turn + wave.peer.dot(displacement))
      }
  }
}

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

/// Range errors of the antennas of a device, each independent: a constant bias and a drift. The drift is the
/// Gauss-Markov process of `RangeSimulator` with a fraction of its variance.
struct AntennaErrors {
  private let settings: Scenario.Radio
  private let decay: Double
  private let biases: [Double]
  private var drifts: [Double]
  private var random: SeededRandom

  /// - Parameter decay: autocorrelation of the drift over one step, 0...1.
  init(_ settings: Scenario.Radio, decay: Double, peer index: Int, seed: UInt64) {
    self.settings = settings
    self.decay = decay
    var random = SeededRandom(seed: seed, stream: RandomStream.antennas(peer: index))
    biases = (0..<settings.antennas.count).map { _ in settings.antennaBias * random.gaussian() }
    drifts = (0..<settings.antennas.count).map { _ in settings.driftDeviation * random.gaussian() }
    self.random = random
  }

  /// Bias plus drift of antenna `index`, metres; `common` is the drift common to all antennas.
  func error(of index: Int, common: Double) -> Double {
    // A single antenna has the common drift only.
    let commonFraction = drifts.count > 1 ? settings.driftCommonShare : 1
    return biases[index] + commonFraction.squareRoot() * common + (1 - commonFraction).squareRoot() * drifts[index]
  }

  /// Advances the drifts by one step.
  mutating func advance() {
    let innovation = settings.driftDeviation * (1 - decay * decay).squareRoot()
    for i in drifts.indices { drifts[i] = decay * drifts[i] + innovation * random.gaussian() }
  }
}

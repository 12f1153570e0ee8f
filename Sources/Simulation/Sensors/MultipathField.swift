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

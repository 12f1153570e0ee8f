import CameraGeometry
import Geometry
import LeastSquares
import SensorData

/// Tests the accelerometer's sign against the camera's translation.
///
/// Over a window, positions are `p(t) = v t + X(t) + g t^2 / 2`, X the doubly integrated specific force in axes that the gyroscope
/// holds still; velocity v and gravity g are unknown. The camera gives the direction `u_i` of each displacement, with its sign from
/// positive depths: `u_i x (p(b_i) - p(a_i)) = 0` is linear in v and g. Turning the accelerometer's sign turns the solution's, so the
/// equations hold as well, but every displacement then runs against what was seen. Agreements are counted: an independent one
/// is right with probability 0.9. The log likelihood ratio of the wrong sign is a CUSUM (Page, Biometrika 41, 1954,
/// doi:10.1093/biomet/41.1-2.100).
struct TranslationConsistency {
  /// One displacement seen by the camera.
  struct Displacement {
    var start: Timestamp
    var end: Timestamp
    /// Unit vector of the camera's displacement, in the IMU's axes at `end`.
    var direction: Vector3
    /// How clearly depths were positive, 0...1.
    var parallax: Double
  }

  /// Length of a window, seconds.
  private static let length = 2.0
  private static let fewest = 5
  /// A displacement counts from this parallax on.
  private static let clear = 0.3
  /// Log odds of one agreement: 0.9 to 0.1, half of it, because neighbours share their errors.
  private static let vote = 1.1
  /// Prior 1-sigma of velocity, m/s, and of gravity about the mean force, m/s^2; noise of a direction times displacement.
  private static let sigma = (velocity: 1.0, gravity: 0.7, cross: 0.02)

  private var window: [Displacement] = []
  /// Log likelihood ratio of the wrong sign, not below 0.
  private(set) var wrongSign = 0.0
  /// Agreements minus disagreements, all that were counted.
  private(set) var balance = 0

  /// Takes a displacement in; evaluates when the window is full.
  mutating func append(_ displacement: Displacement, _ history: InertialHistory) {
    window.append(displacement)
    guard let first = window.first, displacement.end.seconds(since: first.start) >= Self.length else { return }
    evaluate(history)
    window.removeAll()
  }

  mutating func removeAll() { window.removeAll() }

  private mutating func evaluate(_ history: InertialHistory) {
    let clear = window.filter { $0.parallax > Self.clear }
    guard clear.count >= Self.fewest, let first = window.first, let last = window.last,
      let origin = history.node(at: first.start), let end = history.node(at: last.end)
    else { return }
    let whole = end.time.seconds(since: origin.time)
    let gravity = -(end.velocity - origin.velocity) / whole
    func place(_ time: Timestamp) -> (seconds: Double, position: Vector3, rotation: Rotation)? {
      guard let node = history.node(at: time) else { return nil }
      let seconds = time.seconds(since: origin.time)
      return (seconds, node.position - origin.position - origin.velocity * seconds, node.rotation)
    }
    var normal = [Double](repeating: 0, count: 36), right = [Double](repeating: 0, count: 6)
    for k in 0..<3 {
      normal[7 * k] = 1 / (Self.sigma.velocity * Self.sigma.velocity)
      normal[7 * (k + 3)] = 1 / (Self.sigma.gravity * Self.sigma.gravity)
      right[k + 3] = gravity[k] * normal[7 * (k + 3)]
    }
    var rows: [(direction: Vector3, force: Vector3, seconds: Double, half: Double)] = []
    for d in clear {
      guard let a = place(d.start), let b = place(d.end) else { return }
      let u = b.rotation * d.direction
      let (dt, half) = (b.seconds - a.seconds, 0.5 * (b.seconds * b.seconds - a.seconds * a.seconds))
      let force = b.position - a.position
      rows.append((u, force, dt, half))
      // |u x y|^2 = y' (I - u u') y with y = force + dt v + half g.
      let m = (Matrix3.identity - Matrix3(outer: u, u)) * (1 / (Self.sigma.cross * Self.sigma.cross))
      let pull = m * force
      for r in 0..<3 {
        right[r] -= dt * pull[r]
        right[r + 3] -= half * pull[r]
        for c in 0..<3 {
          normal[6 * r + c] += dt * dt * m[r, c]
          normal[6 * (r + 3) + c] += half * dt * m[r, c]
          normal[6 * (r + 3) + c + 3] += half * half * m[r, c]
        }
      }
    }
    guard let x = SmallCholesky.solve(normal, right, size: 6) else { return }
    let (v, g) = (Vector3(x[0], x[1], x[2]), Vector3(x[3], x[4], x[5]))
    let moves = rows.map { $0.force + v * $0.seconds + g * $0.half }
    // A displacement of noise has no sign: those below a centimetre do not vote.
    var votes = 0
    for (row, move) in zip(rows, moves) where move.norm > 0.01 {
      let cosine = row.direction.dot(move) / move.norm
      if abs(cosine) > 0.5 { votes += cosine > 0 ? 1 : -1 }
    }
    balance += votes
    wrongSign = max(wrongSign - Self.vote * Double(votes), 0)
  }
}

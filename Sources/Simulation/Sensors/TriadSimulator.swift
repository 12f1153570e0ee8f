import Geometry

/// Three axes with scale and misalignment errors and a limit: `min(max(M x + b + n, -limit), limit)`, `M = I + S`.
struct TriadSimulator {
  private let matrix: Matrix3
  private let limit: Double

  /// Axes whose errors are drawn from `random`: nine numbers, whatever the settings.
  init(_ settings: Scenario.Triad, _ random: inout SeededRandom) {
    var matrix = Matrix3.identity
    for row in 0..<3 {
      for column in 0..<3 {
        matrix[row, column] += random.uniform(-1...1) * (row == column ? settings.scale : settings.misalignment)
      }
    }
    self.matrix = matrix
    limit = settings.limit ?? .infinity
  }

  /// The measurement of a true vector, in its unit.
  func measure(_ truth: Vector3, bias: Vector3, noise: Vector3) -> Vector3 {
    (matrix * truth + bias + noise).clamped(
      lowerBound: Vector3(repeating: -limit), upperBound: Vector3(repeating: limit))
  }
}

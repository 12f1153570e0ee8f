/// Covariance of a pose whose error is `R = Exp(theta) R_hat`, `p = p_hat + dp`, theta and dp in the world frame.
public struct PoseCovariance: Equatable, Sendable {
  /// Of theta, rad^2.
  public var rotation: Matrix3
  /// Cross-covariance of theta (rows) with dp (columns), rad m.
  public var cross: Matrix3
  /// Of dp, m^2.
  public var position: Matrix3

  /// A covariance from its blocks.
  public init(rotation: Matrix3 = .zero, cross: Matrix3 = .zero, position: Matrix3 = .zero) {
    self.rotation = rotation
    self.cross = cross
    self.position = position
  }

  /// The same for a point rigidly attached at `lever`, metres in world axes: `dp' = dp + theta x lever`.
  public func moved(by lever: Vector3) -> PoseCovariance {
    // dp' = dp - [lever]x theta
    let skew = lever.skew
    let across = skew * cross
    return PoseCovariance(
      rotation: rotation, cross: cross - rotation * skew.transpose,
      position: position - across - across.transpose + skew * rotation * skew.transpose)
  }

  /// The upper triangle of the 6x6 matrix over (theta, dp), row by row: 21 numbers.
  public var upperTriangle: [Double] {
    var values: [Double] = []
    for row in 0..<6 {
      for column in row..<6 {
        switch (row < 3, column < 3) {
        case (true, true): values.append(rotation[row, column])
        case (true, false): values.append(cross[row, column - 3])
        default: values.append(position[row - 3, column - 3])
        }
      }
    }
    return values
  }

  /// From the 21 numbers of `upperTriangle`; nil for another count.
  public init?(upperTriangle values: [Double]) {
    guard values.count == 21 else { return nil }
    self.init()
    var k = 0
    for row in 0..<6 {
      for column in row..<6 {
        switch (row < 3, column < 3) {
        case (true, true):
          rotation[row, column] = values[k]
          rotation[column, row] = values[k]
        case (true, false): cross[row, column - 3] = values[k]
        default:
          position[row - 3, column - 3] = values[k]
          position[column - 3, row - 3] = values[k]
        }
        k += 1
      }
    }
  }
}

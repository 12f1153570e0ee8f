extension Scenario {
  /// Poses from another tracker.
  package struct Odometry: Equatable, Sendable {
    /// Poses per second.
    package var rate = 30.0
    /// Growth of the position error, m/sqrt(m travelled).
    package var positionRandomWalk = 0.01
    /// Growth of the heading error, rad/sqrt(s).
    package var yawRandomWalk = 0.002
    /// Both random walks as the recording states them, over the true ones.
    package var claimedFactor = 1.0

    /// The defaults.
    package init() {}

    /// A tracker without error, at 100 Hz.
    static let exact = {
      var odometry = Scenario.Odometry()
      (odometry.rate, odometry.positionRandomWalk, odometry.yawRandomWalk) = (100, 0, 0)
      return odometry
    }()
  }

  /// The same scenario with external odometry instead of a camera: its own odometry, or else one without error. All
  /// other sensors' data stay the same.
  package var withExternalOdometry: Scenario {
    var scenario = self
    scenario.camera = nil
    scenario.odometry = odometry ?? .exact
    return scenario
  }
}

extension Scenario.Odometry {
  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var odometry = self
    try f.number("rate_hz", 1...500).map { odometry.rate = $0 }
    try f.number("position_random_walk_m_sqrt_m", 0...1).map { odometry.positionRandomWalk = $0 }
    try f.number("yaw_random_walk_rad_sqrt_s", 0...1).map { odometry.yawRandomWalk = $0 }
    try f.number("claimed_noise_factor", 0.001...1000).map { odometry.claimedFactor = $0 }
    return odometry
  }
}

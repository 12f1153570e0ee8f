import Geometry

/// All landmarks at any time: the stationary ones of the room and those of its movers.
struct MovingLandmarks {
  private let fixed: [Vector3]
  private let movers: [(mover: Scenario.Mover, points: [Vector3])]

  /// - Parameter fixed: the landmarks of the room.
  init(fixed: [Vector3], movers: [Scenario.Mover], seed: UInt64) {
    var random = RandomStream.movers.generator(seed: seed)
    self.fixed = fixed
    self.movers = movers.map { mover in
      let size = Vector3(mover.width, mover.width, mover.height)
      let points = (0..<mover.landmarks).map { _ in
        RoomLandmarks.surfacePoint(from: -0.5 * size, to: 0.5 * size, &random)
      }
      return (mover, points)
    }
  }

  /// The landmarks at a time, seconds, always in the same order: the room's first.
  func points(at time: Double) -> [Vector3] {
    movers.reduce(into: fixed) { points, mover in
      let middle = mover.mover.position(at: time)
      points += mover.points.map { middle + $0 }
    }
  }
}

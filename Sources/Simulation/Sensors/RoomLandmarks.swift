import Geometry

/// The stationary landmarks, and the furniture that the seed places in the room.
struct RoomLandmarks {
  /// A piece of furniture: opposite corners, world, metres.
  struct Box: Equatable, Sendable {
    var low: Vector3
    var high: Vector3
  }

  /// All landmarks.
  private(set) var points: [Vector3] = []
  /// All furniture.
  private(set) var furniture: [Box] = []

  /// Landmarks on the six faces of the room, uniform except on blank faces; on boxes of furniture along the walls; and
  /// on the walls inside.
  init(_ room: Scenario.Room, walls: [Scenario.Wall], seed: UInt64) {
    var random = RandomStream.room.generator(seed: seed)
    for _ in 0..<room.landmarks {
      let point = Self.surfacePoint(from: room.low, to: room.high, &random)
      if !room.isBlank(point) { points.append(point) }
    }
    for _ in 0..<room.furniture {
      let size = Vector3(random.uniform(0.3...0.8), random.uniform(0.3...0.8), random.uniform(0.5...1.8))
      let free = room.high - room.low - size
      guard free.x > 0, free.y > 0, free.z > 0 else { continue }
      var corner = room.low + Vector3(random.uniform(), random.uniform(), 0) * free
      // Against one of the four walls, which leaves the middle of the room free.
      switch random.next() % 4 {
      case 0: corner.x = room.low.x
      case 1: corner.x = room.high.x - size.x
      case 2: corner.y = room.low.y
      default: corner.y = room.high.y - size.y
      }
      furniture.append(Box(low: corner, high: corner + size))
      for _ in 0..<30 { points.append(Self.surfacePoint(from: corner, to: corner + size, &random)) }
    }
    var wallRandom = RandomStream.walls.generator(seed: seed)
    for wall in walls {
      for _ in 0..<wall.landmarks {
        let position = wall.from + (wall.to - wall.from) * wallRandom.uniform()
        points.append(Vector3(position.x, position.y, wallRandom.uniform(wall.bottom...wall.top)))
      }
    }
  }

  static func surfacePoint(from low: Vector3, to high: Vector3, _ random: inout SeededRandom) -> Vector3 {
    let size = high - low
    let areas = Vector3(size.y * size.z, size.x * size.z, size.x * size.y)
    let pick = random.uniform() * (areas.x + areas.y + areas.z)
    let axis = pick < areas.x ? 0 : pick < areas.x + areas.y ? 1 : 2
    var point = low + Vector3(random.uniform(), random.uniform(), random.uniform()) * size
    point[axis] = random.chance(0.5) ? low[axis] : high[axis]
    return point
  }
}

import Geometry

/// A little play for a phone and its peers: who stands where, how the hand moves, what the sensors get wrong.
///
/// Read from a YAML file that a user can copy and edit; see `datasets/scenarios`. All lengths are metres, times seconds,
/// angles radians here; in the file every key names its unit.
package struct Scenario: Equatable, Sendable {
  /// The word by which it is called.
  package var name: String
  /// One line that says what it shows.
  package var summary: String
  /// The peers to be found.
  package var peers: [Peer]
  /// What the hand does, in order.
  package var motion: [Step]
  /// How still the hand holds the phone.
  package var hand = Hand()
  /// What there is to see.
  package var room = Room()
  /// The inertial unit.
  package var imu = Inertial()
  /// The camera, if there is one.
  package var camera: Camera? = Camera()
  /// The radio.
  package var radio = Radio()
  /// Another tracker's poses, if they are recorded.
  package var odometry: Odometry?

  /// A scenario with ordinary sensors.
  package init(name: String, summary: String, peers: [Peer], motion: [Step]) {
    self.name = name
    self.summary = summary
    self.peers = peers
    self.motion = motion
  }

  /// A peer that does not move.
  package struct Peer: Equatable, Sendable {
    /// Its name in the recording.
    package var id: String
    /// Where it is: metres from the intended start of the device, x ahead, y left, z up.
    package var position: Vector3
    /// Constant error of its ranges, metres.
    package var rangeBias: Double

    /// A peer from its parts.
    package init(id: String, position: Vector3, rangeBias: Double = 0.1) {
      self.id = id
      self.position = position
      self.rangeBias = rangeBias
    }
  }

  /// One step of the play.
  package enum Step: Equatable, Sendable {
    /// A piece of hand motion.
    case motion(HandMotion)
    /// Turns towards a peer and walks to `stop` metres (horizontally) before it.
    case approach(peer: String, stop: Double, speed: Double)
  }

  /// How still the hand is: standard deviations for each axis.
  package struct Hand: Equatable, Sendable {
    /// How far up the camera looks at the start, radians.
    package var pitch = Angle.degrees(-5)
    /// Slow sway below 3 Hz, metres.
    package var swayDeviation = 0.003
    /// Slow sway below 3 Hz, radians.
    package var swayAngleDeviation = Angle.degrees(0.5)
    /// Tremor at 8 to 11 Hz, metres.
    package var tremorDeviation = 0.00002
    /// Tremor at 8 to 11 Hz, radians.
    package var tremorAngleDeviation = Angle.degrees(0.01)

    /// An ordinary hand.
    package init() {}
  }

  /// A box-shaped room with landmarks on its six faces and on the furniture; distances from the start of the device.
  package struct Room: Equatable, Sendable {
    /// Corner ahead, left and up, metres.
    package var high = Vector3(9, 5, 1.4)
    /// Corner behind, right and down, metres.
    package var low = Vector3(-4, -5, -1.3)
    /// Landmarks on walls, floor and ceiling.
    package var landmarks = 6000
    /// Pieces of furniture along the walls, each with 30 landmarks.
    package var furniture = 12

    /// An ordinary room.
    package init() {}
  }
}

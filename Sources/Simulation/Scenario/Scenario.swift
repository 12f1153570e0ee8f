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
  /// Walls inside the room.
  package var walls: [Wall] = []
  /// Things that move through the room before the camera.
  package var movers: [Mover] = []
  /// The holder's body, where it stands in the way of the radio.
  package var body: Body?
  /// The inertial unit.
  package var imu = Inertial()
  /// The camera, if there is one.
  package var camera: Camera? = Camera()
  /// The radio.
  package var radio = Radio()
  /// Another tracker's poses, if they are recorded.
  package var odometry: Odometry?
  /// What happens to the device and to the peers, in time order.
  package var events: [Event] = []
  /// Rows of truth per second; at most one for each period of the IMU.
  package var truthRate = 100.0

  /// A scenario with ordinary sensors.
  package init(name: String, summary: String, peers: [Peer], motion: [Step]) {
    self.name = name
    self.summary = summary
    self.peers = peers
    self.motion = motion
  }

  /// One step of the play.
  package enum Step: Equatable, Sendable {
    /// A piece of hand motion.
    case motion(HandMotion)
    /// Turns towards a peer and walks to `stop` metres (horizontally) before it.
    case approach(peer: String, stop: Double, speed: Double)
  }
}

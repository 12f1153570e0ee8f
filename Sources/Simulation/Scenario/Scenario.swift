import Geometry

/// A simulated scene of a phone and its peers: their positions, the motion of the hand, the errors of the sensors.
///
/// Read from a YAML file that a user can copy and edit; see `datasets/scenarios`. Here lengths are metres, times
/// seconds, angles radians; in the file every key names its unit.
package struct Scenario: Equatable, Sendable {
  /// Its name.
  package var name: String
  /// One-line description.
  package var summary: String
  /// The peers to be found.
  package var peers: [Peer]
  /// The motion of the hand, in order.
  package var motion: [Step]
  /// Holding and involuntary motion of the hand.
  package var hand = Hand()
  /// The room and its landmarks.
  package var room = Room()
  /// Walls inside the room.
  package var walls: [Wall] = []
  /// Objects that move through the room before the camera.
  package var movers: [Mover] = []
  /// The user's body as an obstacle for the radio; nil: none.
  package var body: Body?
  /// The inertial unit.
  package var imu = Inertial()
  /// The camera, if there is one.
  package var camera: Camera? = Camera()
  /// The radio.
  package var radio = Radio()
  /// External odometry, if recorded.
  package var odometry: Odometry?
  /// Events of the device and the peers, in time order.
  package var events: [Event] = []
  /// Rows of truth per second; at most one for each period of the IMU.
  package var truthRate = 100.0

  /// A scenario with default sensors.
  package init(name: String, summary: String, peers: [Peer], motion: [Step]) {
    self.name = name
    self.summary = summary
    self.peers = peers
    self.motion = motion
  }

  /// One step of the motion.
  package enum Step: Equatable, Sendable {
    /// A piece of hand motion.
    case motion(HandMotion)
    /// Rotates towards a peer and walks to `stop` metres (horizontally) before it.
    case approach(peer: String, stop: Double, speed: Double)
  }
}

import Geometry
import SensorData

extension Scenario {
  /// The inertial unit and its errors; the defaults are those of a phone.
  package struct Inertial: Equatable, Sendable {
    /// Samples per second.
    package var rate = 200.0
    /// White noise of the gyroscope, rad/s/sqrt(Hz).
    package var gyroscopeNoiseDensity = 2e-4
    /// Random walk of its bias, rad/s^2/sqrt(Hz).
    package var gyroscopeRandomWalk = 2e-5
    /// Largest bias at the start, each axis, rad/s.
    package var gyroscopeBias = 0.01
    /// White noise of the accelerometer, m/s^2/sqrt(Hz).
    package var accelerometerNoiseDensity = 2e-3
    /// Random walk of its bias, m/s^3/sqrt(Hz).
    package var accelerometerRandomWalk = 5e-4
    /// Largest bias at the start, each axis, m/s^2.
    package var accelerometerBias = 0.2
    /// Local gravity, m/s^2.
    package var gravity = 9.81
    /// `T_BS`: the body, whose axes are the device's, from the IMU.
    package var bodyFromIMU = Pose.identity

    /// A phone's inertial unit.
    package init() {}
  }

  /// The camera, the tracker behind it and the light.
  package struct Camera: Equatable, Sendable {
    /// Frames per second.
    package var rate = 20.0
    /// Lens.
    package var distortion = CameraCalibration.Distortion.radialTangential(k1: -0.05, k2: 0.02, p1: 2e-4, p2: -1e-4)
    /// Focal length, pixels; the image is 640x480.
    package var focalLength = 420.0
    /// Noise of a tracked feature, pixels.
    package var pixelNoise = 1.0
    /// Tracks per frame at most.
    package var tracks = 100
    /// Mean life of a track, seconds.
    package var trackLife = 3.0
    /// Share of tracks that slide away from their landmark.
    package var outlierShare = 0.0
    /// Seconds to add to a frame's stamp to get the IMU's clock.
    package var timeOffset = 0.0
    /// Where the camera sits in the body (device axes), metres.
    package var position = Vector3(0.025, 0.06, -0.004)
    /// Misalignment against the device, rotation vector in camera axes, radians.
    package var misalignment = Vector3(0.004, -0.006, 0.008)
    /// When there is no light, seconds from the start.
    package var dark: [ClosedRange<Double>] = []

    /// A phone's camera.
    package init() {}
  }

  /// The UWB radio and its errors.
  package struct Radio: Equatable, Sendable {
    /// Ranges per second and peer.
    package var rate = 10.0
    /// White noise, metres.
    package var rangeNoise = 0.08
    /// Standard deviation of the slowly wandering (Gauss-Markov) error, metres.
    package var driftDeviation = 0.05
    /// Its correlation time, seconds.
    package var driftTime = 1.0
    /// Share of the time without line of sight.
    package var blockedShare = 0.05
    /// Mean length of a blocked spell, seconds.
    package var blockedDwell = 0.5
    /// Mean excess of a blocked spell, metres: exponential, one-sided.
    package var blockedExcess = 0.5
    /// Share of ranges that never arrive.
    package var dropoutShare = 0.02
    /// Share of gross errors.
    package var outlierShare = 0.005
    /// Largest gross error to either side, metres.
    package var outlierSize = 4.0
    /// What the radio claims its 1-sigma is, metres; nil: the true total of noise and drift.
    package var claimedDeviation: Double?
    /// White noise of the angles of arrival, radians; nil: the radio measures none.
    package var angleNoise: Double?
    /// Seconds from a range to the moment at which it is known, at least.
    package var latency = 0.0
    /// Mean of the further, exponentially distributed delay, seconds.
    package var latencyJitter = 0.0
    /// Antennas in the body (device axes), metres, by id; they take turns.
    package var antennas = ["": Vector3(-0.02, 0.065, 0)]

    /// A phone's radio.
    package init() {}

    /// The 1-sigma that stands in the recording.
    var statedDeviation: Double {
      claimedDeviation ?? (rangeNoise * rangeNoise + driftDeviation * driftDeviation).squareRoot()
    }
  }

  /// Poses from another tracker.
  package struct Odometry: Equatable, Sendable {
    /// Poses per second.
    package var rate = 30.0
    /// Growth of the position error, m/sqrt(m travelled).
    package var positionRandomWalk = 0.01
    /// Growth of the heading error, rad/sqrt(s).
    package var yawRandomWalk = 0.002

    /// An ordinary tracker.
    package init() {}
  }
}

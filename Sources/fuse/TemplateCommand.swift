import ArgumentParser

extension Template: ExpressibleByArgument {}

/// `fuse template <sensor>`.
struct TemplateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "template",
    abstract: "A complete, commented sensor.yaml, dataset.yaml or map to begin with.",
    discussion: """
      EXAMPLES
        fuse template --list
        fuse template cam0 > walk/mav0/cam0/sensor.yaml
        fuse template map > map.yaml
      """)

  @Flag(help: "The templates, one a line.")
  var list = false

  @Argument(help: "Which one.")
  var name: Template?

  func validate() throws {
    guard list || name != nil else {
      throw ValidationError("Name one: \(Template.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
  }

  func run() throws {
    try Failure.reporting {
      var standardOutput = StandardOutput()
      if list {
        for template in Template.allCases { try standardOutput.line("\(template.rawValue): \(template.place)") }
      } else if let name {
        for line in name.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
          try standardOutput.line(String(line))
        }
      }
    }
  }
}

/// A file to begin with: every key, its unit, and what it is for.
package enum Template: String, CaseIterable, Sendable {
  case dataset, imu0, cam0, uwb0, odometry0, map
  case rosMap = "ros-map"

  /// Where it goes.
  package var place: String {
    switch self {
    case .dataset: "dataset.yaml in the recording's folder"
    case .imu0, .cam0, .uwb0, .odometry0: "mav0/\(rawValue)/sensor.yaml"
    case .map: "--map of 'fuse import csv'"
    case .rosMap: "--map of 'fuse-import' (Python), for bags"
    }
  }

  /// Its text, which ends with a line break.
  package var text: String {
    switch self {
    case .dataset: Self.description
    case .imu0: Self.imu
    case .cam0: Self.camera
    case .uwb0: Self.radio
    case .odometry0: Self.odometry
    case .map: Self.csvMap
    case .rosMap: Self.bagMap
    }
  }

  private static let description = """
    # All keys are optional.
    title: "a walk through the office"
    source: "our own phone"
    licence: "CC0"
    note: "carried in the hand"
    # Device axes D in the body, 4 rows of 4: looking at the screen x right, y up, -z out of the back camera. The angle
    # to a peer is counted from there. Absent: cam0's axes with y and z flipped; without a camera the body's.
    device_T_BS: [1, 0, 0, 0,  0, 1, 0, 0,  0, 0, 1, 0,  0, 0, 0, 1]
    # What an image's stamp means: middle, start or end of its exposure.
    image_stamps: middle

    """

  private static let imu = """
    # data.csv: #timestamp [ns],w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],
    #           a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]
    # Specific force: at rest it points up and has the size of gravity. Not in g, not with gravity taken off.
    sensor_type: imu
    # The sensor in the body: takes coordinates from imu0's axes to the body's. 4 rows of 4, metres. With one inertial
    # unit the simplest body is the unit itself.
    T_BS: [1, 0, 0, 0,  0, 1, 0, 0,  0, 0, 1, 0,  0, 0, 0, 1]
    rate_hz: 200                            # a hint
    # Kalibr's four noise figures. Allan deviation at 1 s gives the densities; without one, a phone's:
    gyroscope_noise_density: 0.001          # rad/s/sqrt(Hz)
    gyroscope_random_walk: 0.00005          # rad/s^2/sqrt(Hz)
    accelerometer_noise_density: 0.01       # m/s^2/sqrt(Hz)
    accelerometer_random_walk: 0.0005       # m/s^3/sqrt(Hz)
    gravity_magnitude: 9.81                 # m/s^2, where you are

    """

  private static let camera = """
    # Beside it: images (data.csv: #timestamp [ns],filename, and data/), or tracks (features.csv: #timestamp [ns],
    # feature_id [],u [px],v [px]; raw pixels, not undistorted), or both: then tracks win.
    sensor_type: camera
    # The camera in the body: takes coordinates from the camera's axes (x right, y down, z forward) to the body's.
    # Kalibr's T_cam_imu is the inverse of this one; 'fuse import kalibr' turns it.
    T_BS: [1, 0, 0, 0,  0, 1, 0, 0,  0, 0, 1, 0,  0, 0, 0, 1]
    rate_hz: 20                             # a hint
    resolution: [640, 480]                  # width, height
    # pinhole: [fx, fy, cx, cy]; omni (Mei): [xi, fx, fy, cx, cy]; ds (double sphere): [xi, alpha, fx, fy, cx, cy];
    # eucm: [alpha, beta, fx, fy, cx, cy]. Kalibr's combined names (pinhole-radtan, omni-radtan, ds-none) do as well.
    camera_model: pinhole
    intrinsics: [458.7, 457.3, 320.2, 240.4]
    # radial-tangential (radtan, plumb_bob): [k1, k2, p1, p2], or 5 or 8 numbers in OpenCV's order; rational: 5 or 8;
    # equidistant (equi, kannala_brandt4): [k1, k2, k3, k4]; fov: [w]; none: []
    distortion_model: radial-tangential
    distortion_coefficients: [-0.28, 0.07, 0.0002, 0.00002]
    pixel_noise_sigma: 1                    # pixels, of a track's position
    time_offset_cam_to_imu_s: 0             # t_imu = t_cam + this; Kalibr's timeshift_cam_imu
    # image_bits: 12                        # of 16-bit images: how many are in use
    # feature_ids: shared                   # cam1 only: ids mean the same points as cam0's

    """

  private static let radio = """
    # data.csv: #timestamp [ns],peer_id [],range [m]; optional: range_std [m],azimuth [rad],elevation [rad],
    #           angle_std [rad],antenna_id [],rssi [dBm],first_path_power [dBm],nlos [],technology []
    # An empty cell means "not measured". Angles are in device axes: azimuth positive right, elevation positive up.
    sensor_type: uwb
    # The antenna in the body; only its place counts.
    T_BS: [1, 0, 0, 0,  0, 1, 0, 0,  0, 0, 1, 0,  0, 0, 0, 1]
    rate_hz: 10                             # a hint
    range_noise_std: 0.1                    # metres, 1-sigma; a run learns it
    # Several antennas: places in the body by antenna_id, metres; then every row names one.
    # antennas:
    #   "left": [-0.03, 0.06, 0]
    #   "right": [0.03, 0.06, 0]

    """

  private static let odometry = """
    # data.csv: #timestamp [ns],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []
    # Poses of another tracker (ARKit, ARCore, motion capture) in a world with z up; ARKit's has y up.
    sensor_type: odometry
    # The tracker's sensor frame in the body.
    T_BS: [1, 0, 0, 0,  0, 1, 0, 0,  0, 0, 1, 0,  0, 0, 0, 1]
    position_random_walk: 0.03              # m/sqrt(m): how fast its position drifts
    yaw_random_walk: 0.01                   # rad/sqrt(s): how fast its heading drifts

    """

  private static let csvMap = """
    # fuse import csv <folder with the files> -o <folder> --map map.yaml
    # Leave out what there is not; columns by the names in their headers.
    imu0:
      file: imu.csv
      time: t
      # time_unit: ms                       # s, ms, us, ns or iso; without it found in the file, and said
      gyroscope: [gx, gy, gz]
      gyroscope_unit: rad/s                 # or deg/s
      accelerometer: [ax, ay, az]
      accelerometer_unit: m/s^2             # or g
      accelerometer_sign: up                # at rest face up z > 0; apple: z < 0
    odometry0:                              # the same keys below 'truth' make the ground truth
      file: poses.csv
      time: t
      position: [x, y, z]
      quaternion: [qw, qx, qy, qz]          # in the order w, x, y, z
      world_up: z                           # or y: ARKit's world
      # handedness: left                    # Unity's world (with world_up: y), Unreal's
      # rotation: body_from_world           # where the quaternion takes the world's coordinates to the body's
    # Which of the body's axes looks ahead, and which is up: angles count from there (docs/axes.md). Or a name: rep103
    # (ROS: x forward, z up), frd (PX4), android, ios, arkit, optical. Absent: cam0's axes, without a camera the body's.
    # device: {forward: x, up: z}
    uwb0:
      file: ranges.csv                      # a file an anchor: files: anchor_*.csv and peer: from the name
      time: t
      peer: id                              # or peer_id: tag, where there is one
      range: d
      range_unit: m                         # cm, mm
      invalid: [0, 99999]                   # readings that mean "none"
    # peers:                                # true places of the peers
    #   file: anchors.csv
    #   peer: id
    #   position: [x, y, z]
    # cameras: camchain.yaml                # a Kalibr chain

    """

  private static let bagMap = """
    # fuse-import <bag> -o <folder> --map map.yaml        fuse-import <bag> --topics lists the topics
    # Leave out what there is not. {peer} and {antenna} in a topic stand for an id; * for any name.
    imu0:
      topic: /imu/data                      # sensor_msgs/Imu
    cam0:
      topic: /camera/image_raw              # Image or CompressedImage
      camera_info: /camera/camera_info      # or: fuse import kalibr <camchain> -o <folder>
      # T_BS: [...]                         # the camera in the body; else as tf_static says, else not known
    odometry0:
      topic: /odom                          # Odometry, PoseStamped, PoseWithCovarianceStamped, TransformStamped
    truth:
      topic: /vrpn_client_node/tag/pose
    # Which of the body's axes looks ahead, and which is up: angles count from there (docs/axes.md). A robot's odometry is
    # of a body with x forward and z up: rep103. Others: frd (PX4), android, ios, arkit, optical, {forward: x, up: z}.
    device: rep103
    uwb0:
      topic: /uwb/{peer}/range              # sensor_msgs/Range and other known types need no more
      # range: distance                     # a type of your own: its fields
      # range_unit: mm
      # peer: anchor_id
    peers:                                  # true places of the peers
      "1": {topic: /anchor_1/pose}
      "2": [3.0, 1.5, 0.8]

    """
}

/// The files of one camera that carry tracks.
struct CameraFiles: Equatable, Sendable {
  var features: RecordingFile
  var frames: RecordingFile?
}

/// The images of one camera.
struct CameraImages: Equatable, Sendable {
  /// The list of their stamps and names.
  var list: RecordingFile
  /// Their folder.
  var folder: RecordingFile
  /// The tracking mask, white where tracks are wanted; nil: everywhere.
  var mask: RecordingFile?
  /// The exposure times; nil where unknown.
  var exposures: RecordingFile?
}

/// Which files a recording has.
struct RecordingLayout: Equatable, Sendable {
  let root: String
  /// Data files, nil where the folder is absent.
  var imu: RecordingFile?
  /// cam0 first; only cameras with tracks, and cam1 only beside cam0. Empty where images are tracked.
  var cameras: [CameraFiles] = []
  /// Cameras whose images are tracked, cam0 first; empty where there are tracks.
  var images: [CameraImages] = []
  var radio: RecordingFile?
  var odometry: RecordingFile?
  var events: RecordingFile?
  var truthStates: RecordingFile?
  /// The calibration of the sensor whose poses replace a missing ground truth.
  var truthCalibration: RecordingFile?
  var truthPeers: RecordingFile?
  /// Meaning of image timestamps.
  var imageStamps = ImageStamps.middle
  /// cam0 has images but no tracks, and they are not tracked.
  var hasImagesOnly = false
  /// Whether cam0 is there at all.
  var hasCamera = false
  var warnings: [String] = []
  /// Needed files that are not there, in a fixed order.
  private(set) var missing: [DatasetError] = []

  private static let known: Set<String> = [
    "imu0", "cam0", "cam1", "uwb0", "odometry0", "events0", "state_groundtruth_estimate0", "peers_groundtruth0",
    "leica0", "vicon0", "mocap0", "pointcloud0",
  ]

  /// - Parameter tracking: tracking of images; nil: they are not used.
  init(root: String, names: [String], tracking: ImageTrackingOptions?) throws(DatasetError) {
    self.root = root
    imu = data("imu0")
    radio = data("uwb0")
    odometry = data("odometry0")
    events = data("events0")
    try findCameras(tracking)
    truthPeers = file("mav0/peers_groundtruth0/data.csv")
    truthStates = file("mav0/state_groundtruth_estimate0/data.csv")
    for name in ["vicon0", "mocap0"] where truthStates == nil {
      truthStates = file("mav0/\(name)/data.csv")
      truthCalibration = truthStates == nil ? nil : file("mav0/\(name)/sensor.yaml")
    }
    if truthStates == nil, file("mav0/leica0/data.csv") != nil {
      warnings.append("\(root)/mav0/leica0: positions without attitude are no ground truth, and are not used")
    }
    // Unknown files are ignored; an unknown folder may be a sensor that the user expects to be used.
    for name in names.sorted() where !Self.known.contains(name) && RegularFile.isFolder("\(root)/mav0/\(name)") {
      warnings.append("\(root)/mav0/\(name) is not known and not used")
    }
  }

  /// The file, if it exists.
  func file(_ relativePath: String) -> RecordingFile? {
    let path = "\(root)/\(relativePath)"
    return RegularFile.exists(path) ? RecordingFile(path: path, relativePath: relativePath) : nil
  }

  /// The calibration beside a data file, if there is one.
  func calibration(_ sensor: String) -> RecordingFile? { file("mav0/\(sensor)/sensor.yaml") }

  /// The images of a camera, whether they are tracked or not.
  func images(ofCamera number: Int) -> CameraImages? {
    let folder = "mav0/cam\(number)"
    guard let list = file("\(folder)/data.csv"), let data = file("\(folder)/data") else { return nil }
    return CameraImages(
      list: list, folder: data, mask: file("\(folder)/mask.png"),
      exposures: file("\(folder)/exposure.csv") ?? file("\(folder)/times.txt") ?? file("dso/cam\(number)/times.txt"))
  }

  private mutating func data(_ sensor: String) -> RecordingFile? {
    guard RegularFile.exists("\(root)/mav0/\(sensor)") else { return nil }
    let path = "mav0/\(sensor)/data.csv"
    if file(path) == nil { lacks(path, "the data of \(sensor)") }
    let hasOther = sensor == "events0" || sensor == "imu0" && Kalibr.imuNoise(in: root) != nil
    if !hasOther { needCalibration(of: sensor) }
    return file(path)
  }

  private mutating func needCalibration(of sensor: String) {
    if calibration(sensor) == nil { lacks("mav0/\(sensor)/sensor.yaml", "the calibration of \(sensor)") }
  }

  private mutating func lacks(_ path: String, _ what: String) {
    missing.append(DatasetError(file: "\(root)/\(path)", found: "no such file", expected: what))
  }

  /// Throws where needed files are not there: one error that names them all.
  func checkComplete() throws(DatasetError) {
    guard var error = missing.first else { return }
    let others = missing.dropFirst().map { "\($0.file) (\($0.expected))" }
    if !others.isEmpty { error.expected += "; not there either: " + others.joined(separator: ", ") }
    throw error
  }

  private mutating func findCameras(_ tracking: ImageTrackingOptions?) throws(DatasetError) {
    hasCamera = RegularFile.exists("\(root)/mav0/cam0")
    for number in 0...1 {
      let folder = "mav0/cam\(number)"
      guard RegularFile.exists("\(root)/\(folder)") else { continue }
      let images = images(ofCamera: number)
      let tracks = file("\(folder)/features.csv")
      defer {
        let isUsed = cameras.count > number || self.images.count > number
        if isUsed, Kalibr.cameraChain(in: root) == nil { needCalibration(of: "cam\(number)") }
      }
      // Tracks take precedence, unless images are requested; the same source for both cameras.
      let isTracked = images != nil && (tracks == nil || tracking?.ignoresTracks == true) && cameras.isEmpty
      if let images, tracking != nil, isTracked, self.images.count == number {
        self.images.append(images)
      } else if !self.images.isEmpty {
        warnings.append("\(root)/\(folder) is not used: cam0 has images that are tracked, and this camera has none")
      } else if let features = tracks {
        guard cameras.count == number else {
          throw DatasetError(
            file: features.path, found: "tracks of cam\(number) without tracks of cam0",
            expected: "\(root)/mav0/cam0/features.csv")
        }
        cameras.append(CameraFiles(features: features, frames: file("\(folder)/frames.csv")))
      } else if file("\(folder)/data.csv") != nil || file("\(folder)/data") != nil {
        if number == 0 { hasImagesOnly = true }
        let why =
          tracking == nil ? "are not looked at" : number > 0 ? "beside tracks of cam0 are not used" : "need data.csv"
        warnings.append("\(root)/\(folder): images without features.csv \(why)")
      } else {
        lacks("\(folder)/features.csv", "the tracks of cam\(number)")
        if Kalibr.cameraChain(in: root) == nil { needCalibration(of: "cam\(number)") }
      }
    }
  }
}

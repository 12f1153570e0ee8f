import ArgumentParser
import Datasets
import Foundation
import FrontEnd
import Geometry
import Images
import RunResults
import SensorData
import Wording

/// `fuse track <folder>`.
struct TrackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track",
    abstract: "Makes tracks from a recording's images, once and for all.",
    discussion: """
      Writes features.csv and frames.csv beside the images of cam0 (and of cam1, where both see the same moments); \
      runs need no images then. 'fuse run' does the same on the way where there are no tracks, with the same results.

      EXAMPLES
        fuse track MH_01_easy
        fuse track MH_01_easy --overlay look      pictures of the tracks, to look at before trusting them
        fuse track phone --force                  in place of the tracks that are there
      """)

  @Argument(help: "The recording: a folder in EuRoC's layout with images.")
  var folder: String

  @Flag(help: "Replace the tracks that are there.")
  var force = false

  @Option(help: ArgumentHelp("Put pictures of the tracks into this folder; writes no tracks.", valueName: "dir"))
  var overlay: String?

  @Option(help: ArgumentHelp("A picture every so often, seconds.", valueName: "s"))
  var every = 1.0

  @Flag(help: "Read and decode images on the same thread; the results are the same.")
  var sequential = false

  @Flag(help: "Any damage of the recording ends it.")
  var strict = false

  @Flag(help: "Say nothing.")
  var quiet = false

  func validate() throws {
    if !(every >= 0 && every <= 1e6) { throw ValidationError("--every must be from 0 to 1e6 seconds.") }
  }

  func run() throws {
    try Failure.reporting {
      let options = ReadingOptions(
        strict: strict, usesOdometry: false, needsTrajectory: false,
        tracking: .frontEnd(readsAhead: !sequential, ignoresTracks: true))
      let recording = try Recording.open(URL(fileURLWithPath: folder), options: options)
      guard recording.trackedCameras > 0 else {
        throw CommandError("\(folder)/mav0/cam0: found no images, expected data.csv and the folder data")
      }
      if recording.hasTracks, !force, overlay == nil {
        throw CommandError("\(folder): found tracks already, expected none, or --force to replace them")
      }
      if let overlay {
        try TrackOverlay(recording, into: overlay, every: every, isQuiet: quiet).run()
      } else {
        try track(recording)
      }
    }
  }

  private func track(_ recording: Recording) throws {
    let began = DispatchTime.now().uptimeNanoseconds
    let writer = try TrackWriter(recording)
    var summary = TrackSummary()
    let span = try recording.lastTimestamp().seconds(since: recording.firstTimestamp)
    var progress = ProgressLine(span: span, isQuiet: quiet)
    let events = try recording.events()
    while let event = try events.next() {
      guard case .frame(let frame) = event.event else { continue }
      try writer.write(frame, arrival: event.arrival)
      summary.add(frame)
      progress.show(frame.timestamp.seconds(since: recording.firstTimestamp))
    }
    progress.erase()
    let changed = try writer.commit()
    guard !quiet else { return }
    for line in recording.warnings + DamageWords.lines(events.damage) {
      StandardError.warn(line)
    }
    var output = StandardOutput()
    for line in summary.lines { try output.line(line) }
    for line in changed { try output.line(line) }
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - began) * 1e-9
    try output.line(
      "written beside the images: \(Words.fixed(span, 1)) s of recording in \(Words.fixed(seconds, 1)) s, "
        + "\(Words.fixed(span / max(seconds, 1e-9), 0)) x real time")
  }
}

/// Statistics of tracking, in words.
private struct TrackSummary {
  private struct Camera {
    var frames = 0, features = 0, tracks = 0
    var lastID: Int64 = 0
    var views: [ViewCondition: Int] = [:]
  }
  private var cameras: [Int: Camera] = [:]

  /// Counts a frame.
  mutating func add(_ frame: CameraFrame) {
    var camera = cameras[frame.camera] ?? Camera()
    camera.frames += 1
    camera.features += frame.features.count
    // Ids increase with the beginning of tracks. A second camera may observe some of them later: its count leaves these
    // out.
    for feature in frame.features where feature.featureID > camera.lastID {
      camera.tracks += 1
      camera.lastID = feature.featureID
    }
    if let view = frame.view { camera.views[view, default: 0] += 1 }
    cameras[frame.camera] = camera
  }

  /// A line per camera.
  var lines: [String] {
    cameras.sorted { $0.key < $1.key }.map { number, camera in
      let each = Double(camera.features) / Double(max(1, camera.frames))
      var words = "cam\(number): \(Words.count(camera.frames, "frame")), \(Words.fixed(each, 0)) tracks in each"
      if number == 0 {
        words += ", \(Words.fixed(Double(camera.features) / Double(max(1, camera.tracks)), 1)) frames a track"
        let others = ViewCondition.allCases.filter { $0 != .clear }.compactMap { view in
          camera.views[view].map { "\(view.rawValue) \($0)" }
        }
        if !others.isEmpty { words += "; no features in some: " + others.joined(separator: ", ") }
      }
      return words
    }
  }
}

/// Images with their tracks drawn over them: a cross at each position, a tail over the last half second.
private struct TrackOverlay {
  private let recording: Recording
  private let folder: String
  private let every: Double
  private let isQuiet: Bool
  private static let tail = 0.5

  /// Overlays for a recording whose images are tracked, one every `every` seconds, into a folder.
  init(_ recording: Recording, into folder: String, every: Double, isQuiet: Bool) {
    (self.recording, self.folder, self.every, self.isQuiet) = (recording, folder, every, isQuiet)
  }

  /// Makes them.
  func run() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let events = try recording.events()
    guard let images = try recording.images(camera: 0) else { return }
    var history: [(stamp: Timestamp, features: [FeatureObservation])] = []
    var next = Timestamp(nanoseconds: .min), count = 0
    while let event = try events.next() {
      guard case .frame(let frame) = event.event, frame.camera == 0 else { continue }
      history.append((frame.timestamp, frame.features))
      history.removeAll { frame.timestamp.seconds(since: $0.stamp) > Self.tail }
      guard frame.timestamp >= next else { continue }
      next = frame.timestamp.advanced(bySeconds: every)
      guard let image = try images.image(at: frame.timestamp) else { continue }
      let bytes = try Self.drawn(history.map(\.features), over: image).png()
      let name = "\(frame.timestamp.nanoseconds).png"
      let file = try AtomicFile(folder: folder, name: name)
      try file.write(Array(bytes))
      try file.commit()
      count += 1
    }
    guard !isQuiet else { return }
    var output = StandardOutput()
    try output.line("\(folder): \(Words.count(count, "image"))")
  }

  /// The image at two thirds of its brightness, tails grey and only from frame to frame, crosses white on black.
  static func drawn(_ history: [[FeatureObservation]], over image: GrayImage) -> GrayImage {
    var overlay = image
    for index in overlay.pixels.indices { overlay.pixels[index] = UInt8(Int(overlay.pixels[index]) * 2 / 3) }
    func set(_ x: Double, _ y: Double, _ value: UInt8) {
      let (column, row) = (Int(x.rounded()), Int(y.rounded()))
      if column >= 0, row >= 0, column < image.width, row < image.height {
        overlay.pixels[row * image.width + column] = value
      }
    }
    let living = Set(history.last?.map(\.featureID) ?? [])
    var last: [Int64: FeatureObservation] = [:]
    for features in history {
      let before = last
      last = [:]
      for feature in features where living.contains(feature.featureID) {
        if let before = before[feature.featureID] {
          let (du, dv) = (feature.u - before.u, feature.v - before.v)
          let steps = Int(min(max(abs(du), abs(dv)), 1000)) + 1
          for k in 0...steps {
            let fraction = Double(k) / Double(steps)
            set(before.u + du * fraction, before.v + dv * fraction, 220)
          }
        }
        last[feature.featureID] = feature
      }
    }
    for feature in history.last ?? [] {
      for k in -3...3 {
        for (u, v) in [(Double(k), 0.0), (0.0, Double(k))] {
          set(feature.u + u + 1, feature.v + v + 1, 0)
        }
      }
      for k in -3...3 {
        for (u, v) in [(Double(k), 0.0), (0.0, Double(k))] { set(feature.u + u, feature.v + v, 255) }
      }
    }
    return overlay
  }
}

extension ImageFrontEnd: ImageTracking {}

extension ImageTrackingOptions {
  /// Tracking with the project's own front end.
  static func frontEnd(readsAhead: Bool, ignoresTracks: Bool = false) -> ImageTrackingOptions {
    ImageTrackingOptions(readsAhead: readsAhead, ignoresTracks: ignoresTracks) { rig, masks in
      ImageFrontEnd(rig: rig, masks: masks)
    }
  }
}

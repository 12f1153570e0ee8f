import ArgumentParser
import Datasets
import Evaluation
import Foundation
import Geometry
import Images
import PrecisionFinding
import Report
import RunResults
import SensorData
import Wording

/// `fuse report <run or recording>...`.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Draws runs as one HTML file with a timeline.",
    discussion: """
      Takes output folders of 'fuse run', or recordings, which are run first. Several are on one page, the worst first. \
      Ground truth, headings and the places where a peer may be come from the run's recording, which is replayed, where \
      it is available; so do the camera's tracks, over its pictures where there are any.

      EXAMPLES
        fuse report datasets/demo
        fuse report phone-fuse -o phone.html
        fuse report phone-fuse --truth recordings/phone
        fuse report before-fuse after-fuse -o both.html
      """)

  @Argument(help: "Output folders of runs, or recordings.")
  var folders: [String]

  @Option(
    name: .shortAndLong, help: "The file to write. (default: ./<name>-report.html, of several ./report.html)")
  var output: String?

  @Option(help: ArgumentHelp("The recording that the run was made from.", valueName: "recording"))
  var truth: String?

  @Flag(help: "Read an output folder even if its files are not those of one run.")
  var unverified = false

  func validate() throws {
    if folders.contains("") || output?.isEmpty == true || truth?.isEmpty == true {
      throw ValidationError("A file or folder needs a name.")
    }
    if truth != nil, folders.count > 1 { throw ValidationError("--truth belongs to one run.") }
  }

  func run() throws {
    try Failure.reporting {
      let names = ReportReading.names(of: folders)
      let path = output ?? (folders.count == 1 ? "./\(names[0])-report.html" : "./report.html")
      let file = try OutputFile(path: path, inputs: folders + (truth.map { [$0] } ?? []))
      let inputs = try ReportReading(truth: truth, isUnverified: unverified).inputs(folders, names: names)
      let page = ReportPage.html(ReportPage.ordered(inputs))
      try file.write(page)
      try file.commit()
      var standardOutput = StandardOutput()
      try standardOutput.line("written to \(path): \(Words.fixed(Double(page.count) / 1000, 0)) kB")
    }
  }
}

/// Collects what the first camera saw at chosen moments while a recording is replayed: tracks, and its picture where there
/// is one.
struct CameraReplay {
  /// Tracks are drawn over this long, seconds, in at most `mostPoints` positions.
  private static let tail = 0.5
  private static let mostPoints = 6
  /// Most tracks of a moment.
  private static let mostTracks = 200

  private let calibration: CameraCalibration
  private let images: ImageLookup?
  private let pictureLimit: Int?
  private var wanted: [Timestamp]
  private var history: [(stamp: Timestamp, features: [FeatureObservation])] = []
  private var moments: [CameraView.Moment] = []

  /// Moments of a recording; nil without a camera.
  ///
  /// - Parameter pictureLimit: most bytes of a picture; nil for none.
  init?(_ recording: Recording, at wanted: [Timestamp], pictureLimit: Int?) {
    guard let calibration = recording.rig.cameras.first, !wanted.isEmpty else { return nil }
    (self.calibration, self.pictureLimit, self.wanted) = (calibration, pictureLimit, wanted)
    images = pictureLimit == nil ? nil : (try? recording.images(camera: 0)) ?? nil
  }

  /// Sees an event. The first frame from a wanted moment on is taken.
  mutating func see(_ event: SensorEvent) {
    guard case .frame(let frame) = event, frame.camera == 0 else { return }
    history.append((frame.timestamp, frame.features))
    history.removeAll { frame.timestamp.seconds(since: $0.stamp) > Self.tail }
    if let next = wanted.first, frame.timestamp >= next { take() }
  }

  /// The view; nil where no frame came.
  mutating func finish() -> CameraView? {
    // The run's end may be after the last frame.
    if !wanted.isEmpty { take() }
    guard !moments.isEmpty else { return nil }
    return CameraView(width: calibration.width, height: calibration.height, moments: moments)
  }

  private mutating func take() {
    guard let now = history.last, moments.last?.timestamp != now.stamp else { return }
    wanted.removeAll { $0 <= now.stamp }
    var positions: [Int64: [CameraView.Point]] = [:]
    let step = max(1, (history.count - 1) / (Self.mostPoints - 1))
    // Every few frames, counted from the newest.
    let frames = stride(from: history.count - 1, through: 0, by: -step).reversed()
    let shown = Set(now.features.prefix(Self.mostTracks).map(\.featureID))
    for index in frames {
      for feature in history[index].features where shown.contains(feature.featureID) {
        positions[feature.featureID, default: []].append(.init(u: feature.u, v: feature.v))
      }
    }
    moments.append(
      .init(
        timestamp: now.stamp,
        tracks: now.features.prefix(Self.mostTracks).compactMap { positions[$0.featureID].map(CameraView.Track.init) },
        picture: picture(at: now.stamp)))
  }

  /// The frame's picture as a JPEG of at most the limit; nil where there is none.
  private func picture(at stamp: Timestamp) -> [UInt8]? {
    guard let limit = pictureLimit, let image = try? images?.image(at: stamp) else { return nil }
    // Wider than this it is not seen on the page.
    for factor in max(1, image.width / 512)...max(1, image.width) {
      guard let bytes = try? image.reduced(by: factor).jpeg(quality: 70) else { return nil }
      if bytes.count <= limit { return bytes }
    }
    return nil
  }
}

/// Observes the posterior of every peer while a recording is replayed: what a report draws from the first range on.
final class PosteriorReplay: ExplanationObserver {
  /// Shortest time between two moments of a peer, seconds.
  static let spacing = 0.5

  /// Most moments of a peer: seven times what a page draws.
  private static let most = 2000

  /// Moments by peer, in time order.
  var moments: [String: [PosteriorMoment]] { kept.mapValues(\.elements) }
  private var kept: [String: Thinning<Bool, PosteriorMoment>] = [:]
  private var next: [String: Timestamp] = [:]

  func wants(_ peer: String, at time: Timestamp) -> Bool { next[peer].map { time >= $0 } ?? true }

  func observe(_ explanation: Explanation) {
    let (peer, time) = (explanation.update.object.peer, explanation.update.timestamp)
    next[peer] = time.advanced(bySeconds: Self.spacing)
    let places = explanation.modes.map {
      PosteriorMoment.Place(
        share: $0.probability, direction: $0.direction, distance: $0.distance, sideways: $0.sideways,
        upwards: $0.upwards)
    }
    kept[peer, default: Thinning(most: Self.most)].append(PosteriorMoment(timestamp: time, places: places), of: true)
  }
}

/// Reads runs for a page, each with its recording where that is there.
struct ReportReading {
  /// The recording named by the user.
  var truth: String?
  /// Whether output folders are read even if their files are not those of one run.
  var isUnverified = false
  /// Whether a run whose recording has changed is read without it, or is an error.
  var ignoresOtherRecordings = false

  /// Updates in memory: eight times what a page draws, and as many poses.
  private static let mostUpdates = 40_000

  /// The runs of output folders, and of recordings, which are run first; with the names that the page gives them.
  ///
  /// - Throws: `DatasetError` and `CommandError`.
  func inputs(_ folders: [String], names: [String]) throws -> [ReportInput] {
    let most = max(1, Self.mostUpdates / folders.count)
    return try zip(folders, names).map { folder, name in
      RunFolder.isRun(folder)
        ? try input(
          of: RunFolder.named(folder, isUnverified: isUnverified, keeping: .thinned(most)), name, of: folders.count)
        : try inputOfRecording(folder, name, most, of: folders.count)
    }
  }

  /// Runs the recording into a temporary folder.
  private func inputOfRecording(_ folder: String, _ name: String, _ most: Int, of runs: Int) throws -> ReportInput {
    let scratch = try TemporaryFolder("report")
    try RunExecution(folder: folder, output: "\(scratch.path)/run", options: RunOptions(), format: .text, isQuiet: true)
      .run()
    return try withExtendedLifetime(scratch) {
      try input(of: RunFolder(path: "\(scratch.path)/run", keeping: .thinned(most)), name, madeFrom: folder, of: runs)
    }
  }

  private func input(of run: RunFolder, _ name: String, madeFrom recording: String? = nil, of runs: Int) throws
    -> ReportInput
  {
    let origin = try origin(of: run, named: truth ?? recording)
    let bodyFromDevice = origin?.recording.rig.bodyFromDevice
    let (truth, peers) = (TruthTrajectory(origin?.truth.states ?? []), TruthPeers(origin?.truth.peers ?? []))
    var judge = Judge(
      truth: truth, peers: peers, bodyFromDevice: bodyFromDevice ?? .identity, sharesWorld: run.sharesWorldWithTruth)
    try judge.record(run)
    let seen = origin.flatMap { replay(run, $0, of: runs) }
    return ReportInput(
      run: run, name: name, version: Fuse.configuration.version, bodyFromDevice: bodyFromDevice, truth: truth,
      truePeers: peers, errors: judge.errors(), posterior: seen?.posterior ?? [:], camera: seen?.camera)
  }

  private func origin(of run: RunFolder, named: String?) throws -> RunOrigin? {
    do { return try RunOrigin(of: run, named: named) } catch  where ignoresOtherRecordings { return nil }
  }

  /// What the run knew before it was sure and what its camera saw, from a replay; nil where it cannot be replayed as it
  /// was.
  private func replay(_ run: RunFolder, _ origin: RunOrigin, of runs: Int) -> RunReplay.Seen? {
    guard let replay = try? RunReplay(of: run, named: origin.path) else { return nil }
    return try? replay.seen(
      at: CameraMoments.chosen(run, count: CameraMoments.count(runs: runs)),
      pictureLimit: CameraMoments.pictureLimit(runs: runs))
  }

  /// The names of folders on a page: their own, without the ending that `fuse run` gives them; folders of the same name
  /// with as much of their path as tells them apart.
  static func names(of folders: [String]) -> [String] {
    let parts = folders.map { folder in
      let name = RawArguments.name(of: folder)
      let own = name == "/" ? "root" : name.hasSuffix("-fuse") && name.count > 5 ? String(name.dropLast(5)) : name
      let path = URL(fileURLWithPath: folder).standardizedFileURL.deletingLastPathComponent().pathComponents
      return path.filter { $0 != "/" } + [own]
    }
    return parts.map { own in
      let length = (1...own.count).first { length in
        parts.filter { $0.suffix(length) == own.suffix(length) }.count == 1
      }
      // The same folder twice keeps its name.
      return own.suffix(length ?? 1).joined(separator: "/")
    }
  }
}

import ArgumentParser
import Evaluation
import FrontEnd
import Geometry
import Images
import PrecisionFinding
import SensorData
import Simulation
import Wording

/// `fuse tracking-benchmark`: makes the tables of `tools/update-tracking`; hidden from the help.
struct TrackingBenchmarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tracking-benchmark", abstract: "Compares tracks with ground truth. See tools/update-tracking.",
    shouldDisplay: false)

  @Option(help: "Only motions with this prefix.") var motion = ""
  @Option(help: "Only lenses with this prefix.") var lens = ""
  @Option(help: "Number of seeds of room and hand.") var seeds = 3
  @Option(help: "The first seed.") var firstSeed: UInt64 = 1

  /// A lens of a 752x480 camera; the coefficients of the first are EuRoC's.
  private static let lenses: [(name: String, focalLength: Double, distortion: CameraCalibration.Distortion)] = [
    ("radial-tangential", 458, .radialTangential(k1: -0.283, k2: 0.074, p1: 2e-4, p2: 2e-5)),
    ("equidistant", 280, .equidistant(k1: 0.0035, k2: 7e-4, k3: -0.002, k4: 2e-4)),
  ]
  private static let motions = ["track-sweep", "track-walk", "track-turn"]

  func validate() throws {
    guard (1...1000).contains(seeds) else { throw ValidationError("--seeds must be from 1 to 1000.") }
    guard firstSeed < 1 << 40 else { throw ValidationError("--first-seed must be under 2^40.") }
  }

  func run() throws {
    try Failure.reporting {
      var output = StandardOutput()
      try output.line(
        "| motion | lens | tracker | median px | 95 % px | length | within 2 px | to first loss | to first occlusion "
          + "| tracks | ms | p99 ms | ATE m | perfect m |"
      )
      try output.line("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
      var reasons: [String] = []
      for motion in Self.motions where motion.hasPrefix(self.motion) {
        for lens in Self.lenses where lens.name.hasPrefix(self.lens) {
          var scenario = try Scenario.asked(motion)
          scenario.camera?.focalLength = lens.focalLength
          scenario.camera?.distortion = lens.distortion
          var own: [TrackingTrial.Figures] = [], plain: [TrackingTrial.Figures] = []
          for seed in firstSeed..<firstSeed + UInt64(seeds) {
            let trial = try TrackingTrial(scenario, seed: seed)
            own.append(trial.own())
            plain.append(trial.plain())
          }
          for (name, figures) in [("fuse", own), ("plain OpenCV", plain)] {
            try output.line(Self.row([motion, lens.name, name], TrackingTrial.Figures(figures)))
          }
          reasons.append(Self.reasons([motion, lens.name], TrackingTrial.Figures(own)))
          try output.flush()
        }
      }
      try output.line("")
      try output.line(
        "| motion | lens | came back | ended | " + TrackEnd.allCases.map { "\($0.rawValue) %" }.joined(separator: " | ")
          + " |")
      try output.line("|---|---|---|---|" + TrackEnd.allCases.map { _ in "---|" }.joined())
      for line in reasons { try output.line(line) }
    }
  }

  private static func reasons(_ names: [String], _ figures: TrackingTrial.Figures) -> String {
    let ends = figures.ends
    let all = ends.values.reduce(0, +)
    let percentages = TrackEnd.allCases.map { Words.fixed(100 * Double(ends[$0] ?? 0) / Double(max(1, all)), 1) }
    return "| " + (names + ["\(figures.returned)", "\(all)"] + percentages).joined(separator: " | ") + " |"
  }

  private static func row(_ names: [String], _ figures: TrackingTrial.Figures) -> String {
    func fixed(_ value: Double?, _ decimals: Int) -> String { value.map { Words.fixed($0, decimals) } ?? "-" }
    let cells = [
      fixed(TrackingTrial.Figures.quantile(figures.errors, 0.5), 2),
      fixed(TrackingTrial.Figures.quantile(figures.errors, 0.95), 2), fixed(figures.length, 1),
      fixed(figures.soundLength, 1), fixed(figures.firstStretch, 1), fixed(figures.firstObservation, 1),
      fixed(figures.tracks, 0),
      fixed(figures.times.reduce(0, +) / Double(max(1, figures.times.count)), 1),
      fixed(TrackingTrial.Figures.quantile(figures.times, 0.99), 1), fixed(figures.trajectory, 3),
      fixed(figures.perfectTrajectory, 3),
    ]
    return "| " + (names + cells).joined(separator: " | ") + " |"
  }
}

/// One motion with one lens: a tracker runs on rendered images, and its tracks are compared with the true projections.
private struct TrackingTrial {
  /// A tracker's result for a frame: track ids and positions.
  typealias Tracks = [FeatureObservation]

  /// Figures of a tracker.
  struct Figures {
    /// Distances from the true projection of the point where a track began, pixels, all observations but the first;
    /// sorted.
    var errors: [Double] = []
    /// Mean number of frames of a track, without those in which it was lost.
    var length = 0.0
    /// Mean number of frames before its error exceeds two pixels.
    var soundLength = 0.0
    /// Mean number of frames before it is first lost, and before its point is first truly occluded or out of view.
    var firstStretch = 0.0, firstObservation = 0.0
    /// Mean number of tracks per frame.
    var tracks = 0.0
    /// Why tracks ended; empty for a tracker that does not report it.
    var ends: [TrackEnd: Int] = [:]
    /// Number of tracks recovered after they had left the image.
    var returned = 0
    /// Processor time per frame, milliseconds, sorted.
    var times: [Double] = []
    /// Trajectory error, metres RMS after alignment in yaw and position; nil without a trajectory.
    var trajectory: Double?
    /// The same with every track position replaced by the true one.
    var perfectTrajectory: Double?

    /// Figures of several draws combined; trajectory errors as root mean square.
    init(_ draws: [Figures]) {
      errors = draws.flatMap(\.errors).sorted()
      times = draws.flatMap(\.times).sorted()
      for draw in draws { ends.merge(draw.ends) { $0 + $1 } }
      returned = draws.reduce(0) { $0 + $1.returned }
      let count = Double(max(1, draws.count))
      length = draws.reduce(0) { $0 + $1.length } / count
      soundLength = draws.reduce(0) { $0 + $1.soundLength } / count
      firstStretch = draws.reduce(0) { $0 + $1.firstStretch } / count
      firstObservation = draws.reduce(0) { $0 + $1.firstObservation } / count
      tracks = draws.reduce(0) { $0 + $1.tracks } / count
      func combined(_ values: [Double?]) -> Double? {
        values.contains { $0 == nil } ? nil : (values.reduce(0) { $0 + $1! * $1! } / count).squareRoot()
      }
      trajectory = combined(draws.map(\.trajectory))
      perfectTrajectory = combined(draws.map(\.perfectTrajectory))
    }

    /// No figures yet.
    init(times: [Double]) { self.times = times }

    /// A quantile of sorted numbers.
    static func quantile(_ sorted: [Double], _ p: Double) -> Double? {
      sorted.isEmpty ? nil : sorted[min(sorted.count - 1, Int(p * Double(sorted.count)))]
    }
  }

  private let contents: (rig: RigCalibration, events: [TimedEvent], truth: [GroundTruthState])
  private let renderer: ImageSimulator
  private let frames: [CameraFrame]
  private let images: [GrayImage]

  /// Renders a scenario.
  ///
  /// - Throws: `ScenarioError`, or `CommandError` for one without a camera.
  init(_ scenario: Scenario, seed: UInt64) throws {
    let simulator = try Simulator(scenario: scenario, seed: seed)
    guard let renderer = ImageSimulator(simulator) else {
      throw CommandError("\(scenario.name): found no camera, expected one")
    }
    let recording = simulator.recording()
    self.renderer = renderer
    contents = (recording.rig, recording.events, recording.truth)
    frames = recording.events.compactMap {
      if case .frame(let frame) = $0.event, frame.camera == 0 { frame } else { nil }
    }
    images = frames.map { renderer.image(of: $0) }
  }

  /// The project's own tracker.
  func own() -> Figures {
    let frontEnd = ImageFrontEnd(rig: contents.rig, masks: [])
    var times: [Double] = []
    var tracks: [Tracks] = []
    for event in contents.events {
      switch event.event {
      case .imu(let sample): frontEnd.add(sample)
      case .frame(let frame) where frame.camera == 0:
        let image = images[tracks.count]
        let began = StageClock.threadTime()
        let made = frontEnd.frames([image], at: frame.timestamp)
        times.append(Double(StageClock.threadTime() - began) * 1e-6)
        tracks.append(made.first?.features ?? [])
      default: break
      }
    }
    var figures = figures(tracks, times)
    figures.ends = frontEnd.ends
    figures.returned = frontEnd.returned
    return figures
  }

  /// Plain OpenCV.
  func plain() -> Figures {
    let configuration = TrackingConfiguration()
    var tracker = ReferenceTracker(
      features: configuration.features, distance: configuration.spacing * Double(images[0].width) / 640)
    var times: [Double] = []
    var tracks: [Tracks] = []
    for image in images {
      let began = StageClock.threadTime()
      let made = tracker.process(image)
      times.append(Double(StageClock.threadTime() - began) * 1e-6)
      tracks.append(
        made.map { FeatureObservation(featureID: $0.id, u: Double($0.position.x), v: Double($0.position.y)) })
    }
    return figures(tracks, times)
  }

  private func figures(_ tracks: [Tracks], _ times: [Double]) -> Figures {
    var figures = Figures(times: times.sorted())
    var lives: [Int64: TrackLife] = [:]
    var perfect = tracks
    for (index, frame) in frames.enumerated() {
      perfect[index] = []
      for feature in tracks[index] {
        let position = SIMD2(feature.u, feature.v), id = feature.featureID
        guard var life = lives.removeValue(forKey: id) else {
          lives[id] = TrackLife(frame: index, point: renderer.point(at: position, in: frame))
          perfect[index].append(feature)
          continue
        }
        defer { lives[id] = life }
        life.observe(frame: index)
        guard let point = life.point else { continue }
        let truth = renderer.pixel(of: point, in: frame)
        let offset = truth.map { $0 - position }
        // A point outside the image counts as lost, even if the track continues.
        let error = offset.map { ($0 * $0).sum().squareRoot() } ?? 1000
        figures.errors.append(error)
        life.record(error: error)
        if let truth { perfect[index].append(FeatureObservation(featureID: id, u: truth.x, v: truth.y)) }
      }
    }
    figures.errors.sort()
    func mean(_ frames: (TrackLife) -> Int) -> Double {
      Double(lives.values.reduce(0) { $0 + frames($1) }) / Double(max(1, lives.count))
    }
    figures.length = mean(\.length)
    figures.soundLength = mean(\.soundLength)
    figures.firstStretch = mean(\.firstStretch)
    figures.firstObservation = mean(firstObservation)
    figures.tracks = Double(tracks.reduce(0) { $0 + $1.count }) / Double(max(1, tracks.count))
    figures.trajectory = trajectory(tracks)
    figures.perfectTrajectory = trajectory(perfect)
    return figures
  }

  /// Frames from a track's beginning in which its point is in the image and not occluded.
  private func firstObservation(of life: TrackLife) -> Int {
    guard let point = life.point else { return life.firstStretch }
    let end = frames[life.begin...].firstIndex { frame in
      guard let position = renderer.pixel(of: point, in: frame), let seen = renderer.point(at: position, in: frame)
      else {
        return true
      }
      return (seen - point).norm > 0.05
    }
    return (end ?? frames.count) - life.begin
  }

  /// The finder's trajectory error with these tracks, without ranges.
  private func trajectory(_ tracks: [Tracks]) -> Double? {
    let truth = TruthReading(states: contents.truth, peers: [])
    guard var judge = truth.judge(contents.rig, sharesWorld: false) else { return nil }
    let finder = PrecisionFinder(rig: contents.rig, useOdometry: false)
    func record(_ outputs: [FinderOutput]) {
      for case .pose(let time, let pose, let covariance) in outputs {
        judge.record(time, worldFromBody: pose, covariance: covariance)
      }
    }
    var index = 0
    for var event in contents.events {
      switch event.event {
      case .imu: break
      case .frame(var frame) where frame.camera == 0:
        frame.features = tracks[index]
        index += 1
        event.event = .frame(frame)
      default: continue
      }
      record(finder.process(event))
    }
    record(finder.finish())
    return judge.errors().trajectory?.ateYawAligned
  }
}

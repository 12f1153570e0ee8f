import Evaluation
import FrontEnd
import Geometry
import Images
import PrecisionFinding
import SensorData
import Simulation

/// One motion with one lens: a tracker runs on rendered images, and its tracks are compared with the true projections.
struct TrackingTrial {
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

import Evaluation
import FrontEnd
import Geometry
import Images
import PrecisionFinding
import SensorData
import Simulation

/// One motion before one lens: rendered images go to a tracker, and its tracks are held against where the points truly are.
struct TrackingTrial {
  /// What a tracker made of a frame: the track's id and its place.
  typealias Tracks = [FeatureObservation]

  /// How a tracker did.
  struct Figures {
    /// Distances from the true projection of where a track began, pixels, all sights but the first; sorted.
    var errors: [Double] = []
    /// Frames that a track lasts, mean; those in which it was out of sight do not count.
    var length = 0.0
    /// Frames before it is more than two pixels off, mean.
    var soundLength = 0.0
    /// Frames before it breaks off for the first time, and before its point truly goes out of sight for the first time, mean.
    var firstStretch = 0.0, firstObservation = 0.0
    /// Tracks in a frame, mean.
    var tracks = 0.0
    /// Why tracks ended; empty for a tracker that does not say.
    var ends: [TrackEnd: Int] = [:]
    /// How often tracks came back after they had left the image.
    var returned = 0
    /// Processor time a frame, milliseconds, sorted.
    var times: [Double] = []
    /// Trajectory, metres RMS after alignment by yaw and position; nil where there is none.
    var trajectory: Double?
    /// The same with every place replaced by the true one.
    var perfectTrajectory: Double?

    /// Those of several draws together; trajectories as the root of the mean square.
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
      func together(_ values: [Double?]) -> Double? {
        values.contains { $0 == nil } ? nil : (values.reduce(0) { $0 + $1! * $1! } / count).squareRoot()
      }
      trajectory = together(draws.map(\.trajectory))
      perfectTrajectory = together(draws.map(\.perfectTrajectory))
    }

    /// Nothing yet.
    init(times: [Double]) { self.times = times }

    /// A quantile of sorted numbers.
    static func quantile(_ sorted: [Double], _ share: Double) -> Double? {
      sorted.isEmpty ? nil : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
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
    var tracker = PlainTracker(
      features: configuration.features, distance: configuration.spacing * Double(images[0].width) / 640)
    var times: [Double] = []
    var tracks: [Tracks] = []
    for image in images {
      let began = StageClock.threadTime()
      let made = tracker.process(image)
      times.append(Double(StageClock.threadTime() - began) * 1e-6)
      tracks.append(made.map { FeatureObservation(featureID: $0.id, u: Double($0.place.x), v: Double($0.place.y)) })
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
        let place = SIMD2(feature.u, feature.v), id = feature.featureID
        guard var life = lives.removeValue(forKey: id) else {
          lives[id] = TrackLife(frame: index, point: renderer.point(at: place, in: frame))
          perfect[index].append(feature)
          continue
        }
        defer { lives[id] = life }
        life.lasts(frame: index)
        guard let point = life.point else { continue }
        let truth = renderer.pixel(of: point, in: frame)
        let offset = truth.map { $0 - place }
        // A point that has left the image is lost, wherever the track goes on.
        let error = offset.map { ($0 * $0).sum().squareRoot() } ?? 1000
        figures.errors.append(error)
        life.isSeen(error: error)
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

  /// Frames from a track's beginning on in which its point is in the image and nothing stands before it.
  private func firstObservation(of life: TrackLife) -> Int {
    guard let point = life.point else { return life.firstStretch }
    let end = frames[life.begin...].firstIndex { frame in
      guard let place = renderer.pixel(of: point, in: frame), let seen = renderer.point(at: place, in: frame) else {
        return true
      }
      return (seen - point).norm > 0.05
    }
    return (end ?? frames.count) - life.begin
  }

  /// What the finder makes of tracks, without ranges.
  private func trajectory(_ tracks: [Tracks]) -> Double? {
    let truth = TruthReading(states: contents.truth, peers: [])
    guard var judge = truth.judge(contents.rig, sharesWorld: false) else { return nil }
    let finder = PrecisionFinder(rig: contents.rig, useOdometry: false)
    func note(_ said: [FinderOutput]) {
      for case .pose(let time, let pose, let covariance) in said {
        judge.note(time, worldFromBody: pose, covariance: covariance)
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
      note(finder.process(event))
    }
    note(finder.finish())
    return judge.verdict().trajectory?.ateYawAligned
  }
}

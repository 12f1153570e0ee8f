import Foundation
import Geometry
import SensorData
import Simulation
import Testing

@Suite struct SensorTests {
  /// Range errors of a stationary device: range minus true distance, with time in seconds.
  private static func errors(
    seed: UInt64 = 11, hours: Double = 0.5, _ change: (inout Scenario) -> Void
  ) throws -> [(time: Double, error: Double)] {
    let peer = Scenario.Peer(id: "a", position: Vector3(4, -2, 0.5), rangeBias: 0.3)
    var scenario = Scenario(name: "rest", summary: "-", peers: [peer], motion: [.motion(.hold(duration: hours * 3600))])
    scenario.camera = nil
    scenario.imu.rate = 20
    scenario.radio.dropoutShare = 0
    scenario.radio.outlierShare = 0
    scenario.radio.nlosShare = 0
    scenario.radio.driftDeviation = 0
    change(&scenario)
    let simulator = try Simulator(scenario: scenario, seed: seed)
    let antenna = scenario.radio.antennas[""]!
    return simulator.events().compactMap { event in
      guard case .range(let range) = event.event else { return nil }
      let time = range.timestamp.seconds(since: Simulator.start)
      let distance = (peer.position - simulator.motion.kinematics(at: time).worldFromBody * antenna).norm
      return (time, range.range - distance)
    }
  }

  private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

  @Test func whiteNoiseHasItsMoments() throws {
    let errors = try Self.errors { $0.radio.rangeNoise = 0.08 }.map(\.error)
    let n = Double(errors.count)
    let mean = Self.mean(errors)
    let variance = Self.mean(errors.map { ($0 - mean) * ($0 - mean) })
    let correlation = Self.mean(zip(errors, errors.dropFirst()).map { ($0 - mean) * ($1 - mean) }) / variance
    // Four sigma of the sample mean, the sample deviation and the sample correlation.
    #expect(abs(mean - 0.3) < 4 * 0.08 / n.squareRoot())
    #expect(abs(variance.squareRoot() - 0.08) < 4 * 0.08 / (2 * n).squareRoot())
    #expect(abs(correlation) < 4 / n.squareRoot())
  }

  @Test func driftHasItsCorrelationTime() throws {
    let errors = try Self.errors {
      $0.radio.rangeNoise = 0
      $0.radio.driftDeviation = 0.05
      $0.radio.driftTime = 1
    }.map { $0.error - 0.3 }
    // With a correlation time of 1 s, 1800 s hold about 900 independent values (n (1-a)/(1+a), and half for squares).
    let variance = Self.mean(errors.map { $0 * $0 })
    #expect(abs(variance.squareRoot() - 0.05) < 4 * 0.05 / (2.0 * 900).squareRoot())
    for lag in [1, 5, 10, 20] {
      let correlation = Self.mean(zip(errors, errors.dropFirst(lag)).map(*)) / variance
      #expect(abs(correlation - exp(-Double(lag) / 10)) < 4 / 900.0.squareRoot())
    }
  }

  @Test func nlosFractionDwellAndBiasAreAsSet() throws {
    let errors = try Self.errors(hours: 1) {
      $0.radio.rangeNoise = 0
      $0.radio.nlosShare = 0.2
      $0.radio.nlosDwell = 0.5
      $0.radio.nlosBias = 0.6
    }.map { $0.error - 0.3 }
    let isNLOS = errors.map { $0 > 1e-9 }
    let intervals = zip(isNLOS, isNLOS.dropFirst()).filter { !$0 && $1 }.count
    let probability = Double(isNLOS.filter { $0 }.count) / Double(isNLOS.count)
    // 3600 s at 0.2 and 0.5 s: about 1400 intervals.
    #expect(intervals > 1000 && errors.allSatisfy { $0 > -1e-9 })
    #expect(abs(probability - 0.2) < 4 * 0.2 * (2 / Double(intervals)).squareRoot())
    // One bias per interval.
    let values = Set(errors.filter { $0 > 1e-6 }.map { ($0 * 1e6).rounded() / 1e6 })
    #expect(abs(Double(values.count - intervals)) < 0.05 * Double(intervals))
    #expect(abs(Self.mean(values.sorted()) - 0.6) < 4 * 0.6 / Double(intervals).squareRoot())
  }

  @Test func dropoutsAndOutliersHaveTheirProbability() throws {
    let errors = try Self.errors {
      $0.radio.rangeNoise = 0.01
      $0.radio.dropoutShare = 0.1
      $0.radio.outlierShare = 0.05
    }
    let expected = 1800.0 * 10
    let arrived = Double(errors.count) / expected
    #expect(abs(arrived - 0.9) < 4 * (0.1 * 0.9 / expected).squareRoot())
    let outlierFraction = Double(errors.filter { abs($0.error - 0.3) > 0.06 }.count) / Double(errors.count)
    // Uniform within 4 m: 1.5 % of the outliers are below the threshold of 0.06 m.
    #expect(abs(outlierFraction - 0.05 * 0.985) < 4 * (0.05 * 0.95 / expected).squareRoot())
  }

  @Test func antennasTakeTurnsAndHaveTheirLeverArms() throws {
    var scenario = try Scenario.named("arc")
    scenario.radio.antennas = ["a": Vector3(0.2, 0, 0), "b": Vector3(-0.2, 0, 0)]
    scenario.radio.rangeNoise = 0
    scenario.radio.driftDeviation = 0
    scenario.radio.nlosShare = 0
    scenario.radio.dropoutShare = 0
    scenario.radio.outlierShare = 0
    let simulator = try Simulator(scenario: scenario, seed: 1)
    var names: [String] = []
    for case .range(let range) in simulator.events().map(\.event) {
      names.append(range.antenna!)
      let time = range.timestamp.seconds(since: Simulator.start)
      let antenna = simulator.motion.kinematics(at: time).worldFromBody * scenario.radio.antennas[range.antenna!]!
      #expect(abs(range.range - (scenario.peers[0].position - antenna).norm - scenario.peers[0].rangeBias) < 1e-7)
    }
    #expect(zip(names, names.dropFirst()).allSatisfy { $0 != $1 })
    #expect(simulator.rig.radio?.position(of: "b") == Vector3(-0.2, 0, 0))
  }

  /// White noise of density s at rate r has sigma s sqrt(r); the bias random walk has sigma s sqrt(t).
  @Test func inertialNoiseHasItsDensities() throws {
    var scenario = Scenario(name: "rest", summary: "-", peers: [], motion: [.motion(.hold(duration: 600))])
    scenario.camera = nil
    scenario.hand.swayDeviation = 0
    scenario.hand.swayAngleDeviation = 0
    scenario.hand.tremorDeviation = 0
    scenario.hand.tremorAngleDeviation = 0
    scenario.hand.pitch = 0
    scenario.imu.rate = 200
    scenario.imu.gyroscopeRandomWalk = 1e-3
    let simulator = try Simulator(scenario: scenario, seed: 6)
    let truth = simulator.truth()
    let samples = simulator.events().compactMap { if case .imu(let sample) = $0.event { sample } else { nil } }
    var gyroscope = 0.0
    var accelerometer = 0.0
    for (state, k) in zip(truth, stride(from: 0, to: samples.count, by: 2)) {
      #expect(state.timestamp == samples[k].timestamp)
      gyroscope += (samples[k].angularVelocity - state.gyroscopeBias!).squaredNorm
      accelerometer += (samples[k].specificForce - state.accelerometerBias! - Vector3(0, 9.81, 0)).squaredNorm
    }
    let n = Double(truth.count) * 3
    let tolerance = 4 / (2 * n).squareRoot()
    #expect(abs((gyroscope / n).squareRoot() / (2e-4 * 200.0.squareRoot()) - 1) < tolerance)
    #expect(abs((accelerometer / n).squareRoot() / (2e-3 * 200.0.squareRoot()) - 1) < tolerance)
    let steps = zip(truth, truth.dropFirst(100)).enumerated().filter { $0.offset % 100 == 0 }
      .map { ($0.element.1.gyroscopeBias! - $0.element.0.gyroscopeBias!).squaredNorm / 3 }
    // One second apart: 1e-3 rad/s.
    #expect(abs(Self.mean(steps).squareRoot() / 1e-3 - 1) < 4 / (2 * 3 * Double(steps.count)).squareRoot())
    #expect(truth[0].gyroscopeBias!.norm > 0 && truth[0].gyroscopeBias!.norm < 0.01 * 3.0.squareRoot())
    #expect(truth[0].accelerometerBias!.norm < 0.2 * 3.0.squareRoot())
  }

  @Test func tracksAreStableNoisyAndNeverResumed() throws {
    let scenario = try Scenario.named("arc")
    let simulator = try Simulator(scenario: scenario, seed: 2)
    var lastSeen: [Int64: Int] = [:]
    var frameNumber = 0
    var lengths: [Int64: Int] = [:]
    for case .frame(let frame) in simulator.events().map(\.event) {
      #expect(frame.features.count <= scenario.camera!.tracks)
      #expect(zip(frame.features, frame.features.dropFirst()).allSatisfy { $0.featureID < $1.featureID })
      for feature in frame.features {
        if let last = lastSeen[feature.featureID] { #expect(last == frameNumber - 1, "a lost track came back") }
        lastSeen[feature.featureID] = frameNumber
        lengths[feature.featureID, default: 0] += 1
      }
      frameNumber += 1
    }
    let mean = Self.mean(lengths.values.sorted().map(Double.init)) / scenario.camera!.rate
    #expect(mean > 0.4 && mean < scenario.camera!.trackLife)
  }

  /// Without noise all rays of a track meet in one point. Those of outlier tracks do not.
  @Test func raysOfATrackMeetInOnePointUnlessItSlides() throws {
    var scenario = try Scenario.named("arc")
    scenario.camera!.pixelNoise = 0
    scenario.camera!.distortion = .none
    scenario.camera!.timeOffset = 0.01
    for (probability, expectsOutliers) in [(0.0, false), (0.3, true)] {
      scenario.camera!.outlierShare = probability
      let simulator = try Simulator(scenario: scenario, seed: 3)
      let camera = simulator.rig.cameras[0]
      var rays: [Int64: [(Vector3, Vector3)]] = [:]
      for case .frame(let frame) in simulator.events().map(\.event) {
        let time = frame.timestamp.seconds(since: Simulator.start) + camera.timeOffset
        let pose = simulator.motion.kinematics(at: time).worldFromBody * camera.bodyFromCamera
        for f in frame.features {
          let ray = Vector3((f.u - camera.cx) / camera.fx, (f.v - camera.cy) / camera.fy, 1).normalized
          rays[f.featureID, default: []].append((pose.translation, pose.rotation * ray))
        }
      }
      var missed = 0
      var evaluated = 0
      for (_, track) in rays where track.count > 20 {
        // The point nearest to all rays: sum (I - d d^T) x = sum (I - d d^T) c.
        var matrix = Matrix3.zero
        var vector = Vector3.zero
        for (centre, direction) in track {
          let projector = Matrix3.identity - Matrix3(outer: direction, direction)
          matrix += projector
          vector += projector * centre
        }
        let point = matrix.inverse! * vector
        let worst = track.map { ($1.cross((point - $0).normalized)).norm }.max()!
        evaluated += 1
        if worst > 2e-5 { missed += 1 }
      }
      let found = Double(missed) / Double(evaluated)
      #expect(evaluated > 100)
      #expect(expectsOutliers ? abs(found - probability) < 0.1 : missed == 0)
    }
  }

  @Test func odometryDriftHasItsRate() throws {
    var squares: [Double] = []
    for seed in 1...60 {
      var scenario = try Scenario.named("straight")
      scenario.camera = nil
      scenario.imu.rate = 20
      scenario.odometry = Scenario.Odometry()
      scenario.odometry!.positionRandomWalk = 0
      scenario.odometry!.yawRandomWalk = 0.05
      let simulator = try Simulator(scenario: scenario, seed: UInt64(seed))
      let poses = simulator.events().compactMap { if case .odometry(let pose) = $0.event { pose } else { nil } }
      let first = simulator.motion.kinematics(at: 0).worldFromBody
      #expect((poses[0].worldFromSensor.translation - first.translation).norm < 1e-12)
      let time = poses.last!.timestamp.seconds(since: Simulator.start)
      let truth = simulator.motion.kinematics(at: time).worldFromBody
      let error = poses.last!.worldFromSensor.rotation * truth.rotation.inverse
      // The drift is about the vertical alone.
      #expect(abs(error.log.x) < 1e-9 && abs(error.log.y) < 1e-9)
      squares.append(error.log.z * error.log.z / time)
    }
    #expect(abs(Self.mean(squares).squareRoot() / 0.05 - 1) < 4 / (2.0 * 60).squareRoot())
  }

  @Test func anglesOfArrivalPointAtThePeerAndEndAtTheFieldOfView() throws {
    var scenario = try Scenario.named("arc")
    scenario.camera = nil
    scenario.radio.dropoutShare = 0
    scenario.radio.angles = Scenario.Angles(noise: 1e-9)
    let simulator = try Simulator(scenario: scenario, seed: 1)
    var seen = 0
    var unseen = 0
    for case .range(let range) in simulator.events().map(\.event) {
      let time = range.timestamp.seconds(since: Simulator.start)
      let pose = simulator.motion.kinematics(at: time).worldFromBody
      let ray = pose.inverse * scenario.peers[0].position - scenario.radio.antennas[""]!
      guard let azimuth = range.azimuth, let elevation = range.elevation else {
        unseen += 1
        #expect(range.angleStandardDeviation == nil && abs(atan2(ray.x, -ray.z)) > Angle.degrees(59.9))
        continue
      }
      seen += 1
      let u = Vector3(sin(azimuth) * cos(elevation), sin(elevation), -cos(azimuth) * cos(elevation))
      #expect((u - ray.normalized).norm < 1e-7)
    }
    #expect(seen > 50 && unseen > 10)
  }

  @Test func lateRangesComeInTheOrderOfArrival() throws {
    var scenario = try Scenario.named("two-peers")
    scenario.camera = nil
    let prompt = try Simulator(scenario: scenario, seed: 1).events()
    scenario.radio.latency = 0.02
    scenario.radio.latencyJitter = 0.05
    let late = try Simulator(scenario: scenario, seed: 1).events()
    #expect(zip(late, late.dropFirst()).allSatisfy { $0.arrival <= $1.arrival })
    let delays = late.compactMap { event -> Double? in
      guard case .range(let range) = event.event else { return nil }
      return event.arrival.seconds(since: range.timestamp)
    }
    #expect(delays.min()! >= 0.0199 && abs(Self.mean(delays) - 0.07) < 4 * 0.05 / Double(delays.count).squareRoot())
    // The same measurements, with delay.
    func key(_ a: TimedEvent, _ b: TimedEvent) -> Bool {
      (a.event.timestamp, a.event.rank) < (b.event.timestamp, b.event.rank)
    }
    #expect(prompt.map(\.event) == late.sorted(by: key).map(\.event))
  }

  @Test func aPathThroughTheWallIsRefused() throws {
    let walk = HandMotion.walk(distance: 12, speed: 1, heading: 0, bob: 0, stepRate: 2)
    let scenario = Scenario(name: "far", summary: "-", peers: [], motion: [.motion(walk)])
    let error = #expect(throws: ScenarioError.self) { try Simulator(scenario: scenario, seed: 1) }
    // 8.9 m at 1 m/s and half a ramp of 0.8 s.
    #expect(error?.description.contains("at 9.3 s") == true)
  }
}

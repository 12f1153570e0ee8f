import Foundation
import Geometry
import Simulation
import Testing

@Suite struct MotionTests {
  private static func search(seed: UInt64 = 5) throws -> Simulator {
    try Simulator(scenario: Scenario.named("search"), seed: seed)
  }

  @Test(arguments: ["search", "stairs", "search-walk", "put-down", "landscape"])
  func derivativesAreThoseOfTheCurve(_ name: String) throws {
    let motion = try Simulator(scenario: Scenario.named(name), seed: 5).motion
    let h = 1e-5
    var random = SeededRandom(seed: 1)
    for _ in 0..<400 {
      let time = random.uniform(0.1...(motion.duration - 0.1))
      // Away from the knots, where the third derivative jumps.
      let inside = (time / motion.spacing).truncatingRemainder(dividingBy: 1)
      guard inside > 0.01, inside < 0.99 else { continue }
      let (before, now, after) = (
        motion.kinematics(at: time - h), motion.kinematics(at: time), motion.kinematics(at: time + h)
      )
      let velocity = (after.worldFromBody.translation - before.worldFromBody.translation) / (2 * h)
      #expect((velocity - now.velocity).norm < 1e-7)
      #expect(((after.velocity - before.velocity) / (2 * h) - now.acceleration).norm < 1e-6)
      let rotationVector = (before.worldFromBody.rotation.inverse * after.worldFromBody.rotation).log
      #expect((rotationVector / (2 * h) - now.angularVelocity).norm < 1e-7)
      let rateChange = (after.angularVelocity - before.angularVelocity) / (2 * h)
      #expect((rateChange - now.angularAcceleration).norm < 1e-6)
    }
  }

  @Test func secondDerivativesAreContinuousAcrossTheKnots() throws {
    let motion = try Self.search().motion
    for k in 1..<Int(motion.duration / motion.spacing) {
      let knot = Double(k) * motion.spacing
      let (left, right) = (motion.kinematics(at: knot - 1e-9), motion.kinematics(at: knot + 1e-9))
      #expect((left.acceleration - right.acceleration).norm < 1e-5)
      #expect((left.angularAcceleration - right.angularAcceleration).norm < 1e-5)
      #expect((left.worldFromBody.translation - right.worldFromBody.translation).norm < 1e-7)
    }
  }

  @Test func velocitiesAndAccelerationsAreThoseOfAHand() throws {
    for scenario in Scenario.builtIn {
      let motion = try Simulator(scenario: scenario, seed: 1).motion
      for k in 0..<Int(motion.duration * 100) {
        let state = motion.kinematics(at: Double(k) / 100)
        #expect(state.velocity.norm < 2 && state.acceleration.norm < 12, "\(scenario.name) at \(Double(k) / 100) s")
        // track-turn tests image tracking at the fastest rotation of a wrist.
        let fastest = scenario.name == "track-turn" ? 5.0 : 3.5
        #expect(state.angularVelocity.norm < fastest, "\(scenario.name) at \(Double(k) / 100) s")
      }
    }
  }

  /// `v(t) = v(0) + int(R_WS f - g)`, `p(t) = p(0) + int v`: a perfect IMU, with a rotated mount, gives the path.
  @Test func integratingThePerfectIMUGivesThePathBack() throws {
    var scenario = try Scenario.named("search")
    scenario.imu.bodyFromIMU = Pose(rotation: .exp(Vector3(0.3, -2, 1)), translation: Vector3(0.13, -0.02, 0.05))
    scenario.imu.rate = 2000
    scenario.imu.gyroscopeNoiseDensity = 0
    scenario.imu.gyroscopeRandomWalk = 0
    scenario.imu.gyroscopeBias = 0
    scenario.imu.accelerometerNoiseDensity = 0
    scenario.imu.accelerometerRandomWalk = 0
    scenario.imu.accelerometerBias = 0
    scenario.camera = nil
    scenario.peers.removeAll { $0.id != "tag" }
    let simulator = try Simulator(scenario: scenario, seed: 2)
    let start = simulator.motion.kinematics(at: 0).moved(to: scenario.imu.bodyFromIMU)
    var (rotation, velocity, position) = (
      start.worldFromBody.rotation, start.velocity, start.worldFromBody.translation
    )
    let samples = simulator.events().compactMap { if case .imu(let sample) = $0.event { sample } else { nil } }
    let gravity = Vector3(0, 0, -9.81)
    for (a, b) in zip(samples, samples.dropFirst()) {
      let dt = b.timestamp.seconds(since: a.timestamp)
      let next = rotation * .exp(0.5 * dt * (a.angularVelocity + b.angularVelocity))
      let (first, last) = (rotation * a.specificForce + gravity, next * b.specificForce + gravity)
      position += dt * velocity + dt * dt / 6 * (2 * first + last)
      velocity += dt / 2 * (first + last)
      rotation = next
    }
    let time = samples.last!.timestamp.seconds(since: Simulator.start)
    #expect(time > 20)
    let end = simulator.motion.kinematics(at: time).moved(to: scenario.imu.bodyFromIMU)
    #expect((position - end.worldFromBody.translation).norm < 1e-3)
    #expect((rotation.inverse * end.worldFromBody.rotation).log.norm < 1e-5)
  }

  @Test func atRestTheAccelerometerReadsGravityUpwards() throws {
    var scenario = Scenario(name: "rest", summary: "-", peers: [], motion: [.motion(.hold(duration: 1))])
    scenario.hand.swayDeviation = 0
    scenario.hand.swayAngleDeviation = 0
    scenario.hand.tremorDeviation = 0
    scenario.hand.tremorAngleDeviation = 0
    scenario.hand.pitch = 0
    scenario.imu.accelerometerNoiseDensity = 0
    scenario.imu.accelerometerBias = 0
    scenario.imu.accelerometerRandomWalk = 0
    for event in try Simulator(scenario: scenario, seed: 1).events() {
      guard case .imu(let sample) = event.event else { continue }
      // Held upright: device +y is up.
      #expect((sample.specificForce - Vector3(0, 9.81, 0)).norm < 1e-9)
    }
  }

  @Test func piecesEndAtTheirTargetAndBeginAtRest() {
    let start = HandPose(position: Vector3(1, 2, 0), yaw: 0.4)
    var plan = MotionPlan(from: start)
    plan.append(.walk(distance: 3, speed: 0.9, heading: 0, bob: 0.02, stepRate: 1.8))
    #expect((plan.end.position - (start.position + 3 * Vector3(cos(0.4), sin(0.4), 0))).norm < 1e-12)
    plan.append(.turn(duration: 1, angle: .pi / 2, arm: 0.4))
    #expect(abs(plan.end.yaw - 0.4 - .pi / 2) < 1e-12)
    let before = plan.end
    plan.append(.arc(duration: 6, arm: 0.6, horizontal: .init(amplitude: 0.8, period: 3), vertical: .init()))
    #expect((plan.end.position - before.position).norm < 1e-12 && abs(plan.end.yaw - before.yaw) < 1e-12)
    let middle = plan.pose(at: plan.duration - 3)
    #expect((middle.position - before.position).norm < 0.6 * 2)
    // Zero velocity at every junction: no motion within half a millisecond of it.
    for time in [0, Double(3 / 0.9 + 0.8), Double(3 / 0.9 + 1.8), plan.duration] {
      #expect((plan.pose(at: time - 5e-4).position - plan.pose(at: time + 5e-4).position).norm < 1e-6)
    }
    // A path too short for its ramps is still walked to its end.
    plan.append(.walk(distance: 0.1, speed: 2, heading: 1, bob: 0, stepRate: 2))
    #expect(abs((plan.end.position - before.position).norm - 0.1) < 1e-12)
  }

  /// Stairs climb monotonically with every tread and end at their height.
  @Test(arguments: [3.0, -2.4]) func stairsGoStepByStep(height: Double) {
    let start = HandPose(position: Vector3(1, 2, 0.3), yaw: 0.4)
    let steps = (abs(height) / 0.17).rounded()
    let stairs = HandMotion.stairs(height: height, steps: steps, tread: 0.28, stepRate: 1.5, heading: 0.3)
    #expect(abs(stairs.duration - (steps / 1.5 + 0.8)) < 1e-12)
    var last = start.position
    for k in 0...1000 {
      let pose = stairs.pose(at: Double(k) / 1000 * stairs.duration, from: start)
      let travelled = (pose.position - start.position).horizontalNorm
      #expect((pose.position.z - last.z) * height >= -1e-12)
      // Between the steps the height is at most 0.7 / (2 pi) of a rise off the ramp.
      #expect(abs(pose.position.z - 0.3 - height * travelled / (steps * 0.28)) <= 0.17 * 1.05 * 0.7 / (2 * .pi))
      last = pose.position
    }
    let displacement = steps * 0.28 * Vector3(cos(0.7), sin(0.7), 0) + Vector3(0, 0, height)
    #expect((last - start.position - displacement).norm < 1e-9)
  }

  /// In landscape the top edge is on the left; the camera still looks ahead.
  @Test func rotatingThePhoneTurnsItsTopToTheLeft() {
    let rotated = HandMotion.rotate(duration: 1, roll: Scenario.Holding.landscape.roll).pose(at: 1, from: HandPose())
    let rotation = rotated.worldFromDevice.rotation
    #expect((rotation * Vector3(0, 1, 0) - Vector3(0, 1, 0)).norm < 1e-12)
    #expect((rotation * Vector3(0, 0, -1) - Vector3(1, 0, 0)).norm < 1e-12)
    #expect((rotation * Vector3(1, 0, 0) - Vector3(0, 0, 1)).norm < 1e-12)
    #expect(HandMotion.rotate(duration: 1, roll: 0).pose(at: 1, from: rotated) == HandPose())
  }

  @Test func aPhoneIsPutDownAndPickedUp() {
    let start = HandPose(position: Vector3(1, 2, 0.3), yaw: 0.4, pitch: -0.1)
    let piece = HandMotion.putDown(lowering: 1, down: 0.35, ahead: 0.15, rest: 2, raising: 1.5)
    #expect(piece.duration == 4.5)
    let table = start.position + Vector3(0.15 * cos(0.4), 0.15 * sin(0.4), -0.35)
    for time in [1, 1.7, 3] {
      let pose = piece.pose(at: time, from: start)
      #expect((pose.position - table).norm < 1e-12 && abs(pose.pitch + .pi / 2) < 1e-12 && pose.grip == 0)
    }
    #expect(piece.pose(at: 0, from: start) == start)
    let after = piece.pose(at: 4.5, from: start)
    #expect((after.position - start.position).norm < 1e-12 && abs(after.pitch + 0.1) < 1e-12 && after.grip == 1)
    let left = HandMotion.putDown(lowering: 1, down: 0.35, ahead: 0.15, rest: 2, raising: nil)
    #expect(left.duration == 3 && left.pose(at: 3, from: start).grip == 0)
  }

  @Test func theArcSweepsAsFarAsItSays() throws {
    let motion = try Simulator(scenario: Scenario.named("arc"), seed: 1).motion
    let yaws = (0..<Int(motion.duration * 50)).map { k -> Double in
      let ahead = motion.kinematics(at: Double(k) / 50).worldFromBody.rotation * Vector3(0, 0, -1)
      return Angle.inDegrees(atan2(ahead.y, ahead.x))
    }
    #expect(abs(yaws.max()! - 50) < 3 && abs(yaws.min()! + 50) < 3)
  }
}

import Foundation
import Geometry
import NearbyInteraction
import PrecisionFinding
import RecordedDevices
import SensorData
import Testing

/// Directions, angles and positions in Apple's axes, against values computed by hand: a phone at the origin of a z-up
/// world that looks along +y after a vigorous motion, and six peers around it.
@Suite struct AxesTests {
  /// Peers in the world (x right of the phone, y ahead of it, z up), metres.
  static let peers: [String: Vector3] = [
    "ahead": Vector3(0, 4, 0), "right": Vector3(4, 0, 0), "left": Vector3(-4, 0, 0), "behind": Vector3(0, -4, 0),
    "above": Vector3(0, 3, 3), "below": Vector3(0, 3, -3),
  ]

  /// Orientations of the phone at the end: its axes x, y, z in the world.
  static let poses: [(name: String, axes: (Vector3, Vector3, Vector3))] = [
    ("upright", (Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(0, -1, 0))),
    // The top leans 30 degrees towards the user: the back camera looks up.
    ("pitched", (Vector3(1, 0, 0), Vector3(0, -0.5, h), Vector3(0, -h, -0.5))),
    // 30 degrees clockwise as the user sees it: the right edge goes down.
    ("rolled", (Vector3(h, 0, -0.5), Vector3(0.5, 0, h), Vector3(0, -1, 0))),
    // On its back, the upper edge away from the user.
    ("flat", (Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1))),
  ]
  static let h = 0.75.squareRoot()
  static let s = 0.5.squareRoot()

  /// Direction in device axes by pose and peer, computed by hand.
  static let directions: [String: [String: Vector3]] = [
    "upright": [
      "ahead": Vector3(0, 0, -1), "right": Vector3(1, 0, 0), "left": Vector3(-1, 0, 0), "behind": Vector3(0, 0, 1),
      "above": Vector3(0, s, -s), "below": Vector3(0, -s, -s),
    ],
    "pitched": [
      "ahead": Vector3(0, -0.5, -h), "right": Vector3(1, 0, 0), "left": Vector3(-1, 0, 0), "behind": Vector3(0, 0.5, h),
      "above": Vector3(0, s * (h - 0.5), -s * (h + 0.5)), "below": Vector3(0, -s * (h + 0.5), -s * (h - 0.5)),
    ],
    "rolled": [
      "ahead": Vector3(0, 0, -1), "right": Vector3(h, 0.5, 0), "left": Vector3(-h, -0.5, 0), "behind": Vector3(0, 0, 1),
      "above": Vector3(-0.5 * s, h * s, -s), "below": Vector3(0.5 * s, -h * s, -s),
    ],
    "flat": [
      "ahead": Vector3(0, 1, 0), "right": Vector3(1, 0, 0), "left": Vector3(-1, 0, 0), "behind": Vector3(0, -1, 0),
      "above": Vector3(0, s, s), "below": Vector3(0, s, -s),
    ],
  ]

  /// Horizontal angles: pitch, roll and height do not change them.
  static let angles: [String: Double] = [
    "ahead": 0, "right": .pi / 2, "left": -.pi / 2, "behind": .pi, "above": 0, "below": 0,
  ]

  /// Positions in ARKit's world: x right, y up, -z the first viewing direction.
  static let arPositions: [String: simd_float3] = [
    "ahead": simd_float3(0, 0, -4), "right": simd_float3(4, 0, 0), "left": simd_float3(-4, 0, 0),
    "behind": simd_float3(0, 0, 4), "above": simd_float3(0, 3, -3), "below": simd_float3(0, -3, -3),
  ]

  static let motionSeconds = 24.0

  /// The phone at the origin in one of the poses.
  private static func held(_ index: Int) -> Pose {
    let axes = poses[index].axes
    return Pose(rotation: Rotation(matrix: Matrix3(columns: axes.0, axes.1, axes.2)))
  }

  /// A rotation on the spot while the arm swings in all directions, then each orientation for two seconds. The
  /// transition takes half a second: an instant rotation is a jump of the tracker. It begins and ends at the origin,
  /// looking along +y.
  static func pose(_ time: Double) -> Pose {
    guard time < motionSeconds else {
      let index = min(Int((time - motionSeconds) / 2), poses.count - 1)
      let (before, held) = (held(max(index - 1, 0)), held(index))
      return before.interpolated(to: held, fraction: min((time - motionSeconds - 2 * Double(index)) / 0.5, 1))
    }
    let phase = 2 * Double.pi * time / motionSeconds
    let tilt = Rotation.exp(Vector3(0.5 * sin(5 * phase), 0, 0))
    return Pose(
      rotation: .yaw(phase) * Tape.upright * tilt,
      translation: Vector3(0.7 * sin(9 * phase), 0.6 * sin(7 * phase), 0.5 * sin(11 * phase)))
  }

  static let received: [String: [(time: Double, object: NINearbyObject, position: simd_float4x4?)]] = {
    var policy = SessionPolicy()
    policy.activeSessions = peers.count
    let device = Tape.device(policy: policy)
    let tape = Tape(seconds: motionSeconds + 8, peers: peers, worldFromDevice: pose)
    let world = tape.world(device)
    nonisolated(unsafe) var received: [String: [(Double, NINearbyObject, simd_float4x4?)]] = [:]
    var kept: [(NISession, Listener)] = []
    for peer in peers.keys.sorted() {
      let listener = Listener()
      let session = listener.session(on: device)
      listener.answer = { callback, session in
        guard callback == "update", let object = listener.objects.last, let time = object.estimate?.timestamp else {
          return
        }
        received[peer, default: []].append(
          (time.seconds(since: Tape.start), object, session.worldTransform(for: object)))
      }
      session.run(SessionTests.assisted(device.token(forPeer: peer)))
      kept.append((session, listener))
    }
    try! world.playBlocking()
    withExtendedLifetime(kept) {}
    return received
  }()

  /// The last update in which the phone was held like this.
  static func last(_ peer: String, pose index: Int) -> (object: NINearbyObject, position: simd_float4x4?)? {
    let end = motionSeconds + 2 * Double(index + 1)
    return received[peer]?.last { $0.time < end - 0.05 && $0.time > end - 1 }.map { ($0.object, $0.position) }
  }

  @Test(arguments: AxesTests.poses.indices.flatMap { k in AxesTests.peers.keys.sorted().map { (k, $0) } })
  func everyPeerInEveryPose(pose index: Int, peer: String) throws {
    let (object, position) = try #require(Self.last(peer, pose: index))
    let name = Self.poses[index].name
    let angle = Double(try #require(object.horizontalAngle))
    let distance = Double(try #require(object.distance))
    #expect(abs(Angle.wrapped(angle - Self.angles[peer]!)) < Angle.degrees(6), "\(name) \(peer): \(angle)")
    let direction = Vector3(try #require(object.direction))
    let expected = try #require(Self.directions[name]?[peer])
    #expect(abs(expected.norm - 1) < 1e-12 && abs(direction.norm - 1) < 1e-6)
    #expect(direction.dot(expected) > cos(Angle.degrees(7)), "\(name) \(peer): \(direction)")
    let column = try #require(position).columns.3
    #expect(
      simd_distance(simd_float3(column.x, column.y, column.z), Self.arPositions[peer]!) < 0.4,
      "\(name) \(peer): \(column)")
    #expect(abs(distance - Self.peers[peer]!.norm) < 0.3)
    let level: NINearbyObject.VerticalDirectionEstimate = peer == "above" ? .above : peer == "below" ? .below : .same
    #expect(object.verticalDirectionEstimate == level)
  }

  /// The first position and yaw define ARKit's world: a peer ahead of the first pose has -z.
  @Test func arWorldFollowsTheFirstPose() {
    for yaw in [0, 0.7, -2.5, .pi] {
      let first = Pose(rotation: .yaw(yaw) * Tape.upright, translation: Vector3(3, -2, 1.5))
      let world = ARWorld(firstWorldFromDevice: first)
      for (offset, position) in [
        (Vector3(0, 0, -2), simd_float4(0, 0, -2, 1)), (Vector3(1, 0, 0), simd_float4(1, 0, 0, 1)),
        (Vector3(0, 1, 0), simd_float4(0, 1, 0, 1)),
      ] {
        let column = world.transform(of: first * offset).columns.3
        #expect(simd_length(simd_float3(column.x - position.x, column.y - position.y, column.z - position.z)) < 1e-6)
      }
      // ARKit's camera, phone upright: x points to the floor, y to the right, z to the user.
      let camera = world.cameraTransform(worldFromDevice: first)
      for (column, axis) in [(0, simd_float4(0, -1, 0, 0)), (1, simd_float4(1, 0, 0, 0)), (2, simd_float4(0, 0, 1, 0))]
      {
        let difference = camera[column] - axis
        #expect(simd_dot(difference, difference) < 1e-10)
      }
    }
    // A pitched first pose leaves up unchanged.
    let pitched = Pose(rotation: Tape.upright * Rotation.exp(Vector3(0.6, 0, 0)))
    let up = ARWorld(firstWorldFromDevice: pitched).transform(of: Vector3(0, 0, 1)).columns.3
    #expect(simd_distance(simd_float3(up.x, up.y, up.z), simd_float3(0, 1, 0)) < 1e-6)
  }
}

import Foundation
import Geometry
import NearbyInteraction
import RecordedDevices
import SensorData
import Testing

/// An `ARSession` by itself; `SharedARSessionTests` shares it with an `NISession`.
@Suite struct ARSessionTests {
  final class Observer: NSObject, ARSessionDelegate, @unchecked Sendable {
    var log: [String] = []
    var frames: [ARFrame] = []
    func session(_ session: ARSession, didUpdate frame: ARFrame) { frames.append(frame) }
    func session(_ session: ARSession, cameraDidChangeTrackingState camera: ARCamera) {
      log.append("\(camera.trackingState)")
    }
    func session(_ session: ARSession, didAdd anchors: [ARAnchor]) { log += anchors.map { "+\($0.name ?? "")" } }
    func session(_ session: ARSession, didRemove anchors: [ARAnchor]) { log += anchors.map { "-\($0.name ?? "")" } }
    func sessionWasInterrupted(_ session: ARSession) { log.append("interrupted") }
    func sessionInterruptionEnded(_ session: ARSession) { log.append("continues") }
  }

  static let path: @Sendable (Double) -> Pose = { Pose(rotation: Tape.upright, translation: Vector3($0, 0, 0)) }

  static func session(_ observer: Observer) -> ARSession {
    let session = ARSession()
    session.delegate = observer
    session.delegateQueue = DispatchQueue(label: "frames")
    session.run(ARWorldTrackingConfiguration())
    return session
  }

  @Test func givesFramesWithoutAnNISession() throws {
    let (device, observer) = (Tape.device(), Observer())
    let ar = NearbyDevice.with(device) { Self.session(observer) }
    let tape = Tape(
      seconds: 6, deviceEvents: [(2, "suspend", nil), (3, "resume", nil)], worldFromDevice: Self.path)
    try tape.world(device).playBlocking()
    #expect(observer.log.first == "limited(ARKit.ARCamera.TrackingState.Reason.initializing)")
    #expect(observer.log.dropFirst().prefix(3) == ["normal", "interrupted", "continues"])
    #expect(observer.frames.count > 100)
    let last = try #require(ar.currentFrame)
    #expect(last === observer.frames.last && last.worldMappingStatus == .mapped)
    #expect(abs(last.camera.transform.columns.3.x - Float(Self.path(6).translation.x)) < 0.1)
    // No frame comes from the background.
    let times = observer.frames.map { $0.timestamp - Double(Tape.start.nanoseconds) / 1e9 }
    #expect(!times.contains { $0 > 2.01 && $0 < 2.99 } && times.contains { $0 > 3.1 })
  }

  /// A device that comes later is found at `run`; without one there is no frame.
  @Test func findsItsDeviceAtRun() throws {
    let (device, observer) = (Tape.device(), Observer())
    let ar = Self.session(observer)
    try Tape(seconds: 1).world(device).playBlocking()
    #expect(observer.frames.isEmpty)
    let later = Tape.device()
    NearbyDevice.with(later) { ar.run(ARWorldTrackingConfiguration(), options: .resetTracking) }
    try Tape(seconds: 1).world(later).playBlocking()
    #expect(observer.frames.count > 20)
  }

  @Test func anchorsStayUntilTheyAreRemoved() throws {
    let (device, observer) = (Tape.device(), Observer())
    let ar = NearbyDevice.with(device) { Self.session(observer) }
    let world = Tape(seconds: 3, worldFromDevice: Self.path).world(device)
    let anchor = ARAnchor(name: "tag", transform: matrix_identity_float4x4)
    ar.add(anchor: anchor)
    try world.playBlocking(until: 1)
    #expect(observer.log.contains("+tag") && observer.frames.last?.anchors == [anchor])
    #expect((anchor.copy() as? ARAnchor)?.identifier == anchor.identifier)
    ar.remove(anchor: anchor)
    try world.playBlocking(until: 2)
    #expect(observer.log.last == "-tag" && observer.frames.last?.anchors == [])
    // A new origin: 1 m to the right of the old one.
    let before = try #require(ar.currentFrame).camera.transform.columns.3.x
    var shift = matrix_identity_float4x4
    shift.columns.3.x = 1
    ar.setWorldOrigin(relativeTransform: shift)
    try world.playBlocking(until: 2.08)
    let after = try #require(ar.currentFrame).camera.transform.columns.3.x
    #expect(abs(after - (before + 0.08 - 1)) < 0.05)
  }

  @Test func mapsHoldTheAnchors() async throws {
    let ar = Self.session(Observer())
    ar.add(anchor: ARAnchor(name: "tag", transform: matrix_identity_float4x4))
    let names = await withCheckedContinuation { done in
      ar.getCurrentWorldMap { map, _ in done.resume(returning: map?.anchors.map(\.name)) }
    }
    #expect(names == ["tag"])
    ar.pause()
    let error = await withCheckedContinuation { done in
      ar.getCurrentWorldMap { _, error in done.resume(returning: (error as? ARError)?.code) }
    }
    #expect(error == .requestFailed)
  }

  /// Apple's example: roll of a phone in portrait is a quarter turn, because the camera's x runs along the long side.
  @Test func eulerAngles() {
    #expect(ARCamera(transform: matrix_identity_float4x4).eulerAngles == .zero)
    for (pitch, yaw, roll) in [(Float(0.3), Float(-1), Float(0.5)), (-1, 2, -2), (0.1, 3, 3)] {
      let (x, y, z) = (simd_float3(1, 0, 0), simd_float3(0, 1, 0), simd_float3(0, 0, 1))
      let q = simd_quatf(angle: yaw, axis: y) * simd_quatf(angle: pitch, axis: x) * simd_quatf(angle: roll, axis: z)
      let angles = ARCamera(transform: simd_float4x4(q)).eulerAngles
      #expect(simd_distance(angles, simd_float3(pitch, yaw, roll)) < 1e-4)
    }
    let down = ARCamera(transform: simd_float4x4(simd_quatf(angle: -.pi / 2, axis: simd_float3(1, 0, 0)))).eulerAngles
    #expect(abs(down.x + .pi / 2) < 1e-3 && down.z == 0)
  }

  @Test func configurationsAreCopied() throws {
    let configuration = ARWorldTrackingConfiguration()
    configuration.environmentTexturing = .automatic
    configuration.planeDetection = [.horizontal]
    configuration.frameSemantics = .sceneDepth
    let copy = try #require(configuration.copy() as? ARWorldTrackingConfiguration)
    #expect(copy.environmentTexturing == .automatic && copy.planeDetection == .horizontal)
    #expect(copy.frameSemantics == .sceneDepth)
    #expect(!ARWorldTrackingConfiguration.supportsFrameSemantics(.sceneDepth))
    #expect(!ARWorldTrackingConfiguration.supportsSceneReconstruction(.mesh))
    #expect((AROrientationTrackingConfiguration().copy() as? AROrientationTrackingConfiguration) != nil)
  }

  /// Camera assistance needs world tracking.
  @Test func orientationTrackingIsUnsuitable() {
    let (device, ar, listener) = (Tape.device(), ARSession(), Listener())
    ar.run(AROrientationTrackingConfiguration())
    let session = listener.session(on: device)
    session.setARSession(ar)
    session.run(SessionTests.assisted(device.token(forPeer: "a")))
    device.settle()
    #expect(listener.code == .invalidARConfiguration)
  }

  @Test func errors() {
    let error: any Error = ARError(.cameraUnauthorized, userInfo: [NSLocalizedDescriptionKey: "No camera."])
    if case ARError.cameraUnauthorized = error {} else { Issue.record("no match") }
    #expect((error as NSError).domain == ARErrorDomain && (error as NSError).code == 103)
    #expect(error.localizedDescription == "No camera.")
    #expect(Set(ARError.Code.allCases.map(\.rawValue)).count == ARError.Code.allCases.count)
  }
}

// NOT BUILT HERE. A sketch for iOS 17: poses from ARKit, ranges from Nearby Interaction, to `fuse serve`.
import ARKit
import FuseCaptureFormat
import FuseClient
import NearbyInteraction

/// Streams this phone's poses and ranges.
final class Capture: NSObject, ARSessionDelegate, NISessionDelegate {
  private let events: AsyncStream<SensorEvent>.Continuation

  init(address: URL, token: String?) async throws {
    let client = try await FuseClient.create(
      PhoneValues.arKitHeader(rangeNoise: 0.1), at: address, creationToken: token)
    let stream = AsyncStream<SensorEvent>.makeStream(bufferingPolicy: .bufferingNewest(2000))
    events = stream.continuation
    super.init()
    Task {
      for await event in stream.stream { try await client.send(event) }
      try await client.finish()
    }
    Task {
      // A line of updates.jsonl each: distance, horizontalAngle, guidance, ...
      for try await update in client.updates() { print(String(decoding: update.line, as: UTF8.self)) }
    }
  }

  func session(_ session: ARSession, didUpdate frame: ARFrame) {
    // Both clocks count from the start of the phone.
    guard case .normal = frame.camera.trackingState, let time = PhoneValues.timestamp(uptime: frame.timestamp) else {
      return
    }
    let columns = [
      frame.camera.transform.columns.0, frame.camera.transform.columns.1, frame.camera.transform.columns.2,
      frame.camera.transform.columns.3,
    ]
    let numbers = columns.flatMap { [$0.x, $0.y, $0.z, $0.w] }
    if let pose = PhoneValues.poseFromARKit(time, transform: numbers) { events.yield(.odometry(pose)) }
  }

  func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    guard let time = PhoneValues.timestamp(uptime: ProcessInfo.processInfo.systemUptime) else { return }
    for object in nearbyObjects {
      guard let distance = object.distance,
        let range = PhoneValues.rangeFromNearbyInteraction(
          time, peer: "\(object.discoveryToken.hashValue)", distance: distance,
          direction: object.direction.map { Vector3(Double($0.x), Double($0.y), Double($0.z)) },
          angleStandardDeviation: 0.1)
      else { continue }
      events.yield(.range(range))
    }
  }

  func sessionWasSuspended(_ session: NISession) {
    guard let time = PhoneValues.timestamp(uptime: ProcessInfo.processInfo.systemUptime) else { return }
    events.yield(.device(DeviceEvent(timestamp: time, name: "suspend")))
  }
}

import Foundation
import Geometry
import NearbyInteraction
import RecordedDevices
import SensorData
import Testing

/// An app that is written as for a phone, against tapes.
@Suite struct AppTests {
  static let path: @Sendable (Double) -> Pose = { AxesTests.pose($0) }

  /// On the main thread, as a phone's app.
  @MainActor @Test func findsItsPeer() async throws {
    let device = Tape.device(.phone)
    let model = NearbyModel()
    try NearbyDevice.with(device) {
      model.start()
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: device.token(forPeer: "tag"), requiringSecureCoding: true)
      model.received(data)
    }
    try await Tape(seconds: AxesTests.motionSeconds + 1, peers: ["tag": Vector3(0, 4, 0)], worldFromDevice: Self.path)
      .world(device).play()
    #expect(model.log.first == "started" && model.log.contains("converged") && model.card.headline == "Ahead")
    #expect(model.log.contains("marker in the image"))
    let card = model.card
    #expect(abs(try #require(card.distance) - 4) < 0.3 && card.level == .same)
    #expect(abs(try #require(card.heading)) < 0.1)
    #expect(abs(try #require(card.azimuth)) < 0.1)
    // Apple's sample measures elevation from the plane through the phone's back.
    #expect(abs(try #require(card.elevation)) < 0.1)
    let position = try #require(card.marker).columns.3
    #expect(simd_distance(simd_make_float3(position), simd_float3(0, 0, -4)) < 0.4)
  }

  @MainActor @Test func handlesSuspensionAndErrors() async throws {
    let device = Tape.device(.phoneWithoutDirection)
    device.addAccessory(address: AccessorySessionTests.address, peer: "tag")
    let model = NearbyModel()
    model.send = { data in
      // The accessory receives what the app sends.
      if let message = try? AccessoryMessage(data) {
        device.accessory(address: AccessorySessionTests.address, received: message)
      }
    }
    NearbyDevice.with(device) {
      model.start()
      model.accessorySent(Data([1, 2, 3]))
      #expect(model.card.headline.hasPrefix("No accessory"))
      model.accessorySent(AccessoryCodecTests.newConfiguration.data)
    }
    let tape = Tape(
      seconds: 12, peers: ["tag": Vector3(0, 4, 0)],
      deviceEvents: [(2, "suspend", nil), (4, "resume", nil), (10, "userDidNotAllow", nil)])
    let world = tape.world(device)
    try await world.play(until: 2)
    #expect(model.card.distance == 4 && model.card.heading == nil)
    try await world.play(until: 3)
    #expect(model.card.headline == "Suspended")
    model.card.distance = nil
    try await world.play(until: 9)
    #expect(model.log == ["started", "started"] && model.card.distance == 4)
    try await world.play()
    #expect(model.card.headline == "Allow Nearby Interaction in the settings." && model.session == nil)
  }
}

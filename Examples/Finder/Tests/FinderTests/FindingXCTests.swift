import FinderApp
import NearbyInteraction
import RecordedDevices
import XCTest

final class FindingXCTests: XCTestCase {
  func testFindsTheTag() async throws {
    let phone = try RecordedDevice(scenario: "demo")
    var steps: [Finder.Step] = []
    let finder = NearbyDevice.with(phone.device) {
      let finder = Finder(peerToken: phone.device.token(forPeer: "tag")) { step, _ in steps.append(step) }
      finder.start()
      return finder
    }
    let world = World()
    world.add(phone.device, playing: phone.source)
    try await world.play()
    XCTAssert(steps.contains(.found))
    withExtendedLifetime(finder) {}
  }
}

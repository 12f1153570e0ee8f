import FinderApp
import NearbyInteraction
import RecordedDevices
import Testing

@Suite struct FindingTests {
  @Test func findsTheTag() async throws {
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
    #expect(steps.contains(.arrow) && steps.contains(.found))
    withExtendedLifetime(finder) {}
  }

  @Test func saysThatAWatchCannotFind() async throws {
    let watch = try RecordedDevice(scenario: "demo", profile: .watch)
    var last: Finder.Step?
    NearbyDevice.with(watch.device) {
      Finder(peerToken: watch.device.token(forPeer: "tag")) { step, _ in last = step }.start()
    }
    #expect(last == .ended("This device cannot find precisely."))
  }
}

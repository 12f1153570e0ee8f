import Testing

#if canImport(NearbyInteractionReplay)
  import NearbyInteractionReplay
#else
  import NearbyInteraction
#endif

/// One import gives the sessions, the recordings and the types of ARKit and simd, on every system.
@Suite struct ReplayTests {
  final class Finder: NSObject, NISessionDelegate {
    private(set) var objects: [NINearbyObject] = []
    private var session: NISession?

    func start(_ token: NIDiscoveryToken) {
      session = NISession()
      session?.delegate = self
      session?.delegateQueue = DispatchQueue(label: "finder")
      session?.run(NINearbyPeerConfiguration(peerToken: token))
    }

    func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) { objects += nearbyObjects }
  }

  @Test func oneImportSuffices() async throws {
    let datasets = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../datasets")
    let phone = try RecordedDevice(folder: datasets.appendingPathComponent("arc-aoa").standardizedFileURL)
    let finder = Finder()
    NearbyDevice.with(phone.device) { finder.start(phone.device.token(forPeer: "tag")) }
    let world = World()
    world.add(phone.device, playing: phone.source)
    try await world.play(until: 5)
    #expect(finder.objects.count > 40)
    let ahead = try #require(finder.objects.compactMap(\.direction).first)
    #expect(simd_dot(ahead, simd_float3(0, 0, -1)) > 0.5)
    #expect(ARWorldTrackingConfiguration.isSupported)
  }
}

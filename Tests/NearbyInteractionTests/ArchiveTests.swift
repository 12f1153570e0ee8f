import Foundation
import NearbyInteraction
import Testing

/// Tokens, configurations and objects through archives.
@Suite struct ArchiveTests {
  static func roundTrip<T: NSObject & NSSecureCoding>(_ value: T) throws -> T? {
    let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    return try NSKeyedUnarchiver.unarchivedObject(ofClass: T.self, from: data)
  }

  @Test func tokensAreEqualAfterARoundTrip() throws {
    let device = Tape.device(.phoneWithExtendedDistance)
    let token = try #require(NISession(device: device).discoveryToken)
    #expect(try Self.roundTrip(token) == token)
    #expect(try JSONDecoder().decode(NIDiscoveryToken.self, from: JSONEncoder().encode(token)) == token)
    #expect(token.copy() as? NIDiscoveryToken == token)
    let copy = try #require(try Self.roundTrip(token))
    #expect(copy.hash == token.hash)
    let capabilities = copy.deviceCapabilities
    #expect(capabilities.supportsExtendedDistanceMeasurement && !capabilities.supportsDirectionMeasurement)
  }

  /// Tokens are unique, and each of their bits is fair in ten thousand draws.
  @Test func tokensDiffer() throws {
    var seen: Set<NIDiscoveryToken> = []
    var ones = [Int](repeating: 0, count: 128)
    for _ in 0..<10_000 {
      let token = NIDiscoveryToken(capabilities: .preciseDistance)
      seen.insert(token)
      let text = try JSONDecoder().decode(String.self, from: JSONEncoder().encode(token))
      let bytes = [UInt8](try #require(Data(base64Encoded: text))).suffix(16)
      for (k, byte) in bytes.enumerated() { for bit in 0..<8 where byte >> bit & 1 == 1 { ones[8 * k + bit] += 1 } }
    }
    #expect(seen.count == 10_000)
    // Each bit is fair: 10 000 draws have a sigma of 50.
    #expect(ones.allSatisfy { abs($0 - 5000) < 300 })
    let device = Tape.device()
    #expect(NISession(device: device).discoveryToken != NISession(device: device).discoveryToken)
  }

  @Test func invalidBytesAreNoToken() {
    for bytes in [Data(), Data(count: 18), Data([1]), Data([1, 2]) + Data(count: 17), Data([2, 1]) + Data(count: 16)] {
      let text = "\"\(bytes.base64EncodedString())\""
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(NIDiscoveryToken.self, from: Data(text.utf8))
      }
      #expect(NIDiscoveryToken(bytes: bytes) == nil)
    }
    #expect((try? NSKeyedUnarchiver.unarchivedObject(ofClass: NIDiscoveryToken.self, from: Data([1, 2, 3]))) == nil)
  }

  @Test func configurationsAndObjectsSurvive() throws {
    let token = NIDiscoveryToken(capabilities: .preciseDistance)
    let peer = NINearbyPeerConfiguration(peerToken: token)
    peer.isCameraAssistanceEnabled = true
    #expect(try Self.roundTrip(peer) == peer)
    let accessory = try NINearbyAccessoryConfiguration(
      accessoryData: AccessoryCodecTests.newConfiguration.data, bluetoothPeerIdentifier: UUID())
    accessory.isCameraAssistanceEnabled = true
    #expect(try Self.roundTrip(accessory) == accessory)
    for object in [
      NINearbyObject(discoveryToken: token),
      NINearbyObject(
        discoveryToken: token, distance: 2.5, direction: simd_float3(0.6, 0, -0.8), horizontalAngle: -1,
        verticalDirectionEstimate: .aboveOrBelow),
    ] {
      #expect(try Self.roundTrip(object) == object)
    }
    for status: NIAlgorithmConvergenceStatus in [
      .unknown, .converged, .notConverged([.insufficientLighting, .insufficientVerticalSweep]),
    ] {
      let convergence = NIAlgorithmConvergence(status: status)
      #expect(try Self.roundTrip(convergence) == convergence)
    }
  }

  @Test func rawValuesAreApples() {
    #expect(NINearbyObject.RemovalReason.allCases.map(\.rawValue) == [0, 1])
    #expect(NINearbyObject.VerticalDirectionEstimate.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
    #expect(NINearbyObject.RemovalReason.peerEnded.rawValue == 1)
    #expect(NINearbyObject.VerticalDirectionEstimate.aboveOrBelow.rawValue == 4)
  }
}

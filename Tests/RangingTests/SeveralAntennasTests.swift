import Geometry
import Ranging
import SensorData
import Testing

/// Ranges of several antennas.
@Suite struct SeveralAntennasTests {
  private static let antennas = ["a": Vector3(0.15, 0, 0), "b": Vector3(-0.15, 0, 0)]

  /// If the antenna in use stops ranging, the other one replaces it: the distance of a device that moves away stays
  /// known.
  @Test func aSilentAntennaIsReplaced() throws {
    var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: ["a", "b"], statedNoise: nil)
    let peer = Vector3(4, 0, 0)
    for i in 0..<80 {
      let (t, id) = (Double(i) / 10, i < 20 && i % 2 == 0 ? "a" : "b")
      let device = Vector3(-0.2 * max(t - 2, 0), 0, 0)
      var range = PeerFilter.Range(
        timestamp: Timestamp(nanoseconds: 0).advanced(bySeconds: t),
        range: (peer - device - Self.antennas[id]!).norm, antenna: device + Self.antennas[id]!, device: device,
        antennaID: id)
      range.isVelocityKnown = false
      posterior.update(range)
    }
    let device = Vector3(-0.2 * 5.9, 0, 0)
    let distance = try #require(posterior.gaussians.max { $0.weight < $1.weight }).position - device
    // Less than half of the device's displacement since then: without the other antenna it would be all of it.
    #expect(abs(distance.norm - (peer - device).norm) < 0.5, "\(distance.norm)")
  }
}

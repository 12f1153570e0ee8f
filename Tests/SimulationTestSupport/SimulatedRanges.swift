import Geometry
import SensorData
import Simulation

extension Simulator {
  /// All ranges of the recording.
  package var ranges: [RangeMeasurement] {
    events().compactMap { if case .range(let range) = $0.event { range } else { nil } }
  }

  /// The vector to the first peer in device axes, from the antenna, at the time of a range.
  private func toPeer(_ range: RangeMeasurement) -> Vector3 {
    let time = range.timestamp.seconds(since: Simulator.start)
    return motion.kinematics(at: time).worldFromBody.inverse * scenario.peers[0].position(at: time)
      - scenario.radio.antennas[range.antenna ?? ""]!
  }

  package func ray(_ range: RangeMeasurement) -> Vector3 { toPeer(range).normalized }

  package func distance(_ range: RangeMeasurement) -> Double { toPeer(range).norm }
}

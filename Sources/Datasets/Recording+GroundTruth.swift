import Geometry
import SensorData

/// Reads a truth file row by row.
package final class GroundTruthReader<Row> {
  private let read: () throws(DatasetError) -> Row?
  private let account: () -> FileDamage

  init<Decoder: RowDecoder>(_ stream: RowStream<Decoder>) where Decoder.Row == Row {
    read = { () throws(DatasetError) -> Row? in try stream.next() }
    account = { stream.table.damage }
  }

  /// The next row; nil at the end.
  package func next() throws(DatasetError) -> Row? { try read() }

  /// Rows read and skipped so far.
  package var damage: FileDamage { account() }
}

extension Recording {
  /// The true trajectory, if the recording has one; from `vicon0` or `mocap0` where EuRoC's estimate is missing.
  /// For evaluation and for initialisation from the truth only: not read before this call.
  package func groundTruthStates() throws(DatasetError) -> GroundTruthReader<GroundTruthState>? {
    guard let file = layout.truthStates else { return nil }
    var bodyFromSensor = Pose.identity
    if let calibration = layout.truthCalibration {
      bodyFromSensor = try CalibrationFile(path: calibration.path).pose("T_BS") ?? .identity
    }
    let decoder = TruthStateDecoder(bodyFromSensor: bodyFromSensor)
    return GroundTruthReader(try RowStream(file, decoder, isStrict: options.strict))
  }

  /// The true positions of the peers, if the recording has them. Not read before this call.
  package func groundTruthPeers() throws(DatasetError) -> GroundTruthReader<GroundTruthPeer>? {
    guard let file = layout.truthPeers else { return nil }
    return GroundTruthReader(try RowStream(file, TruthPeerDecoder(), isStrict: options.strict))
  }
}

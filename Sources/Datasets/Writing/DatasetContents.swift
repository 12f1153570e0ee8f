import SensorData

/// A whole recording in memory, ready to be written as a folder.
package struct DatasetContents: Sendable {
  /// What it is called.
  package var title: String
  /// Where it comes from.
  package var source: String
  /// On what terms it may be used.
  package var licence: String
  /// Anything else worth knowing.
  package var note: String
  /// The device.
  package var rig: RigCalibration
  /// What the sensors said, in time order.
  package var events: [TimedEvent]
  /// The true states of the body, in time order.
  package var truth: [GroundTruthState]
  /// Where the peers truly are.
  package var peers: [GroundTruthPeer]
  /// Decimals of a feature's pixels in the file, 0...12.
  package var pixelDecimals: Int

  /// A recording from its parts.
  package init(
    title: String, source: String, licence: String, note: String, rig: RigCalibration, events: [TimedEvent],
    truth: [GroundTruthState], peers: [GroundTruthPeer], pixelDecimals: Int = 3
  ) {
    self.title = title
    self.source = source
    self.licence = licence
    self.note = note
    self.rig = rig
    self.events = events
    self.truth = truth
    self.peers = peers
    self.pixelDecimals = pixelDecimals
  }
}

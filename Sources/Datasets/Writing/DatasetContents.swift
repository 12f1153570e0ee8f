import SensorData

/// A whole recording in memory, ready to be written as a folder.
package struct DatasetContents: Sendable {
  /// Its title.
  package var title: String
  /// Its source.
  package var source: String
  /// Its licence.
  package var licence: String
  /// Further notes.
  package var note: String
  /// The device.
  package var rig: RigCalibration
  /// Sensor events, in time order.
  package var events: [TimedEvent]
  /// The true states of the body, in time order.
  package var truth: [GroundTruthState]
  /// True positions of the peers.
  package var peers: [GroundTruthPeer]
  /// Decimals of a feature's pixels in the file, 0...12.
  package var pixelDecimals: Int
  /// Whether the device's axes are known: where they are not, the folder does not state them, and cam0 or the body give
  /// them when it is read.
  package var statesDevice: Bool

  /// A recording from its parts.
  package init(
    title: String, source: String, licence: String, note: String, rig: RigCalibration, events: [TimedEvent],
    truth: [GroundTruthState], peers: [GroundTruthPeer], pixelDecimals: Int = 3, statesDevice: Bool = true
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
    self.statesDevice = statesDevice
  }
}

/// The independent random sequences of one seed: changing one sensor does not shift another.
enum RandomStream: UInt64 {
  case tremor = 1
  case room, inertialBias, inertialNoise, tracks, pixels, luma, odometry, triads, stamps, droppedFrames,
    secondPixels, walls, texture, paint, movers, miscalibration, array, antennaPattern

  // Sequences per peer, disjoint from the others.
  /// Errors of the ranges.
  static func ranging(peer index: Int) -> UInt64 { 1000 + UInt64(index) }
  /// Errors of the angles of arrival.
  static func angles(peer index: Int) -> UInt64 { 1_000_000 + UInt64(index) }
  /// Latencies of the ranges.
  static func delays(peer index: Int) -> UInt64 { 2_000_000 + UInt64(index) }
  /// Intervals without ranges.
  static func silence(peer index: Int) -> UInt64 { 3_000_000 + UInt64(index) }
  /// Received power.
  static func power(peer index: Int) -> UInt64 { 4_000_000 + UInt64(index) }
  /// Errors of the reported LOS/NLOS state.
  static func nlosReports(peer index: Int) -> UInt64 { 5_000_000 + UInt64(index) }
  /// Noise of the pixels of a frame, counted from the start of the recording.
  static func image(camera: Int, frame: Int) -> UInt64 { 1_000_000_000 * UInt64(camera + 1) + UInt64(frame) }
  /// Initial position.
  static func placement(peer index: Int) -> UInt64 { 6_000_000 + UInt64(index) }
  /// Biases of the NLOS intervals named by the scenario.
  static func nlosIntervals(peer index: Int) -> UInt64 { 8_000_000 + UInt64(index) }
  /// Path.
  static func stroll(peer index: Int) -> UInt64 { 7_000_000 + UInt64(index) }

  /// Errors of each antenna.
  static func antennas(peer index: Int) -> UInt64 { 9_000_000 + UInt64(index) }

  /// Errors that depend on the place.
  static func multipath(peer index: Int) -> UInt64 { 10_000_000 + UInt64(index) }
  /// Their dependence on attitude and on the peer's own place.
  static func multipathPose(peer index: Int) -> UInt64 { 11_000_000 + UInt64(index) }

  /// The sequence of this kind.
  func generator(seed: UInt64) -> SeededRandom { SeededRandom(seed: seed, stream: rawValue) }
}

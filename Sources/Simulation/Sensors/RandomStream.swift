/// The independent random sequences of one seed: changing one sensor does not shift another.
enum RandomStream: UInt64 {
  case tremor = 1
  case room, inertialBias, inertialNoise, tracks, pixels, luma, odometry

  /// One sequence for every peer, far from the others.
  static func ranging(peer index: Int) -> UInt64 { 1000 + UInt64(index) }

  /// The angles' sequence of every peer.
  static func angles(peer index: Int) -> UInt64 { 1_000_000 + UInt64(index) }
  /// The delays' sequence of every peer.
  static func delays(peer index: Int) -> UInt64 { 2_000_000 + UInt64(index) }

  /// The sequence of this kind.
  func generator(seed: UInt64) -> SeededRandom { SeededRandom(seed: seed, stream: rawValue) }
}

/// What a radio's ranges are too long by, as stated by the recording, metres.
///
/// Readers of recordings subtract it: a `RangeMeasurement` no longer contains it.
public struct RangeBias: Equatable, Sendable {
  /// Of every range.
  public var common: Double
  /// Beyond that, of the ranges to a peer, by its id.
  public var peers: [String: Double]
  /// Beyond that, of the ranges of an antenna, by its id.
  public var antennas: [String: Double]
  /// 1-sigma of what remains after the subtraction; nil where it is not stated.
  public var standardDeviation: Double?

  /// A bias from its parts.
  public init(
    common: Double = 0, peers: [String: Double] = [:], antennas: [String: Double] = [:],
    standardDeviation: Double? = nil
  ) {
    self.common = common
    self.peers = peers
    self.antennas = antennas
    self.standardDeviation = standardDeviation
  }

  /// The bias of one range, metres.
  ///
  /// - Parameter antenna: nil means the only one.
  public func value(peer: String, antenna: String?) -> Double {
    common + (peers[peer] ?? 0) + (antennas[antenna ?? ""] ?? 0)
  }
}

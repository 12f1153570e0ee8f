import Geometry

/// Calibration of the UWB radio: antenna positions, stated noise and bias.
public struct RadioCalibration: Equatable, Sendable {
  /// Antenna positions in the body frame, metres, by antenna id; never empty.
  public var antennas: [String: Vector3]
  /// 1-sigma of a range as stated by the recording, metres.
  public var rangeNoise: Double?
  /// Nominal rate over all peers, Hz: informative only.
  public var rate: Double?
  /// Stated bias of its ranges; zero where nothing is stated.
  public var rangeBias: RangeBias
  /// How the radio smooths its ranges, as stated by the recording; nil: it states nothing.
  public var rangeFilter: RangeFilter?
  /// What carries each peer, by its id, where the recording states it.
  public var mobility: [String: Mobility]

  /// A calibration from its parts. Without named antennas there is one, `""`, at the origin of `T_BS`.
  public init(
    antennas: [String: Vector3] = ["": .zero], rangeNoise: Double? = nil, rate: Double? = nil,
    rangeBias: RangeBias = RangeBias(), rangeFilter: RangeFilter? = nil, mobility: [String: Mobility] = [:]
  ) {
    precondition(!antennas.isEmpty, "a radio has an antenna")
    self.antennas = antennas
    self.rangeNoise = rangeNoise
    self.rate = rate
    self.rangeBias = rangeBias
    self.rangeFilter = rangeFilter
    self.mobility = mobility
  }

  /// Antenna position of a measurement in the body frame; nil for an unknown id, or for no id with several antennas.
  public func position(of antenna: String?) -> Vector3? {
    if let antenna { return antennas[antenna] ?? (antennas.count == 1 ? antennas[""] : nil) }
    return antennas.count == 1 ? antennas.first!.value : nil
  }
}

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
  /// - Parameters:
  ///   - peer: the peer that was measured.
  ///   - antenna: nil means the only one.
  public func value(peer: String, antenna: String?) -> Double {
    common + (peers[peer] ?? 0) + (antennas[antenna ?? ""] ?? 0)
  }
}

/// What a radio does to the ranges of a link before it reports them, where it smooths.
public enum RangeFilter: Hashable, Sendable {
  /// The mean of the newest `count` ranges, of fewer at the start; at least 1.
  case mean(count: Int)
  /// `y <- y + weight (x - y)`, beginning with the first range; weight over 0, at most 1.
  case exponential(weight: Double)
  /// The range of so many seconds ago; at least 0.
  case lag(seconds: Double)

  /// Mean age of what a range reports, seconds, where ranges come `interval` seconds apart.
  public func delay(interval: Double) -> Double {
    switch self {
    case .mean(let count): 0.5 * Double(count - 1) * interval
    case .exponential(let weight): (1 - weight) / weight * interval
    case .lag(let seconds): seconds
    }
  }
}

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

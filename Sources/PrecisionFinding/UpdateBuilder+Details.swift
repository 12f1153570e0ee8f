import SensorData

/// The richer words of an update.
extension UpdateBuilder {
  /// What is wrong with the signal: silence, a radio that repeats itself, fewer than two ranges a second over the last two seconds, little power, or a sight that
  /// has been blocked for long.
  func weakness(_ link: PeerLink, _ power: SignalPowerMonitor, at time: Timestamp) -> [NearbyUpdate.ObstacleProgress] {
    guard let first = link.record.firstRange, let last = link.record.lastRange else { return [.init(.weakRate)] }
    var found: [NearbyUpdate.ObstacleProgress] = []
    if time.seconds(since: last.timestamp) > configuration.rangeTimeout { found.append(.init(.stale)) }
    if link.record.isRepeating, let news = link.record.lastNewRange, time.seconds(since: news) > configuration.rangeTimeout
    {
      found.append(.init(.repeated))
    }
    let recent = link.record.recent.count { time.seconds(since: $0) <= 2 }
    if recent < Self.fewRanges, time.seconds(since: first) >= 2 {
      found.append(.init(.weakRate, progress: Double(recent) / Double(Self.fewRanges)))
    }
    if power.isWeak { found.append(.init(.weakPower)) }
    let clearness = link.record.clearness
    if clearness < Self.nlosClearness {
      found.append(.init(.nonLineOfSight, progress: rounded(clearness / Self.nlosClearness)))
    }
    return found
  }

  /// Fewer ranges than this within two seconds are few.
  private static let fewRanges = 4
  /// A sight that has been free in fewer of the ranges of late than this has been blocked for long.
  static let nlosClearness = 0.2

  /// How far what the posterior leaves open is done, 0...1.
  func progress(_ finding: PublicationObstacle, _ readout: PublishableEstimate) -> Double {
    switch finding {
    case .heightUndecided: rounded(readout.towards.level)
    case .positionTooWide: rounded(readout.towards.place)
    case .rivals: rounded(readout.towards.rivals)
    default: rounded(readout.progress)
    }
  }

  func describe(_ readout: PublishableEstimate, _ link: PeerLink) -> [String: NearbyUpdate.Detail] {
    var details: [String: NearbyUpdate.Detail] = [
      "hypotheses": .number(Double(link.hypotheses)),
      "lineOfSight": .number(rounded(link.free)),
      "rivalShare": .number(rounded(readout.rivals)),
      "above": .number(rounded(readout.vertical.above)),
      "below": .number(rounded(readout.vertical.below)),
    ]
    if let cause = readout.noAngle { details["noAngle"] = .text(cause.rawValue) }
    if link.doubt > 1e-3 { details["doubt"] = .number(rounded(link.doubt)) }
    if link.movingProbability > 1e-3 { details["walking"] = .number(rounded(link.movingProbability)) }
    if link.aoaValidity.probability > 1e-3 { details["anglesAstray"] = .number(rounded(link.aoaValidity.probability)) }
    if link.isTracked { details["stage"] = .text("tracked") }
    return details
  }

  func rounded(_ share: Double) -> Double { (share * 1e4).rounded() / 1e4 }
}

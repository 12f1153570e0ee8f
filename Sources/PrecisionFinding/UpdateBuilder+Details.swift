import SensorData

/// The details of an update.
extension UpdateBuilder {
  /// Obstacles of the signal: silence, a radio that repeats itself, fewer than two ranges a second over the last two
  /// seconds, low power, or a long NLOS interval.
  func weakness(_ link: PeerLink, _ power: SignalPowerMonitor, at time: Timestamp) -> [NearbyUpdate.ObstacleProgress] {
    guard let first = link.record.firstRange, let last = link.record.lastRange else { return [.init(.weakRate)] }
    var found: [NearbyUpdate.ObstacleProgress] = []
    if time.seconds(since: last.timestamp) > rules.silence.value { found.append(.init(.stale)) }
    if link.record.isRepeating, let lastNew = link.record.lastNewRange,
      time.seconds(since: lastNew) > rules.silence.value
    {
      found.append(.init(.repeated))
    }
    let recent = link.record.recent.count { time.seconds(since: $0) <= 2 }
    let rate = Double(recent) / 2
    if !rules.rate.isMet(by: rate), time.seconds(since: first) >= 2 {
      found.append(.init(.weakRate, progress: rate / rules.rate.value))
    }
    if power.isWeak { found.append(.init(.weakPower)) }
    let losFraction = link.record.losFraction
    if !rules.losFraction.isMet(by: losFraction) {
      found.append(.init(.nonLineOfSight, progress: rounded(losFraction / rules.losFraction.value)))
    }
    return found
  }

  /// Progress of an obstacle of the posterior, 0...1.
  func progress(_ obstacle: PublicationObstacle, _ estimate: PublishableEstimate) -> Double {
    switch obstacle {
    case .heightUndecided: rounded(estimate.towards.level)
    case .positionTooWide: rounded(estimate.towards.position)
    case .competingModes: rounded(estimate.towards.probabilityBeyond20Degrees)
    default: rounded(estimate.progress)
    }
  }

  func describe(_ estimate: PublishableEstimate, _ link: PeerLink) -> [String: NearbyUpdate.Detail] {
    var details: [String: NearbyUpdate.Detail] = [
      "hypotheses": .number(Double(link.hypotheses)),
      "lineOfSight": .number(rounded(link.losProbability)),
      "rivalShare": .number(rounded(estimate.probabilityBeyond20Degrees)),
      "above": .number(rounded(estimate.vertical.above)),
      "below": .number(rounded(estimate.vertical.below)),
    ]
    if let cause = estimate.noAngle { details["noAngle"] = .text(cause.rawValue) }
    if link.contradictionProbability > 1e-3 { details["doubt"] = .number(rounded(link.contradictionProbability)) }
    if link.movingProbability > 1e-3 { details["walking"] = .number(rounded(link.movingProbability)) }
    if link.bank.aoaProbability > 1e-3 { details["anglesAstray"] = .number(rounded(link.bank.aoaProbability)) }
    if link.isTracked { details["stage"] = .text("tracked") }
    return details
  }

  func rounded(_ value: Double) -> Double { (value * 1e4).rounded() / 1e4 }
}

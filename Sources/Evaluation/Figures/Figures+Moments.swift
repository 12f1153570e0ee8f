import SensorData

/// The product against the ideal observer moment by moment: how wide its intervals are, and how often it is silent.
extension Figures {
  static func noteMoments(
    _ pairs: [(peer: PeerErrors, ideal: IdealErrors)], into values: inout [FigureKey: Figure]
  ) {
    // Per peer: the moments at which an angle could be known, and of these the ones at which the product had one.
    typealias Compared = (knowable: Int, told: Int, echoed: Int, both: [(ours: AngleMoment, ideal: AngleMoment)])
    let compared = pairs.map { pair -> Compared in
      let knowable = pair.ideal.moments.filter { $0.halfWidth <= AngleMoment.knowable }
      // Several updates may stand at one time: the last one speaks.
      let ours = Dictionary(pair.peer.moments.map { ($0.timestamp, $0) }) { $1 }
      let told = Set(pair.ideal.published.moments.map(\.timestamp))
      let both = knowable.compactMap { ideal in ours[ideal.timestamp].map { ($0, ideal) } }
      return (
        knowable.count, knowable.count { told.contains($0.timestamp) }, both.count { told.contains($0.1.timestamp) },
        both
      )
    }
    values[.idealAngleAvailability] = .share(compared.map { ($0.told, $0.knowable) })
    values[.angleAvailability] = .share(compared.map { ($0.both.count, $0.knowable) })
    values[.angleAvailabilityPublishable] = .share(compared.map { ($0.echoed, $0.told) })
    let errors = compared.map { $0.both.map { ($0.ours.error, $0.ideal.error) } }
    values[.angleErrorRatio] = .ratioOfQuantiles(errors, 0.5)
    values[.angleErrorRatio90] = .ratioOfQuantiles(errors, 0.9)
    values[.halfWidthRatio] = .ratioOfQuantiles(
      compared.map { $0.both.map { ($0.ours.halfWidth, $0.ideal.halfWidth) } }, 0.5)
    // Whoever never gets there has taken for ever: leaving him out would flatter the slow.
    values[.timeTo10DegreesRatio] = .ratioOfMedians(
      pairs.compactMap { pair in
        pair.ideal.published.narrowAngleAt.map { (pair.peer.narrowAngleAt ?? .infinity, $0) }
      })
  }
}

import SensorData

/// The product against the ideal observer moment by moment: interval widths and availability of the angle.
extension Figures {
  static func recordMoments(
    _ pairs: [(peer: PeerErrors, ideal: IdealErrors)], into values: inout [FigureKey: Figure]
  ) {
    // Per peer: moments with an observable angle; of these, published by the ideal observer, by both, and by the
    // product.
    typealias Compared = (
      observable: Int, publishable: Int, publishedByBoth: Int, common: [(ours: AngleMoment, ideal: AngleMoment)]
    )
    let compared = pairs.map { pair -> Compared in
      let observable = pair.ideal.moments.filter { $0.halfWidth <= AngleMoment.observableHalfWidth }
      // Several updates may have the same timestamp: the last one counts.
      let ours = Dictionary(pair.peer.moments.map { ($0.timestamp, $0) }) { $1 }
      let publishable = Set(pair.ideal.published.moments.map(\.timestamp))
      let common = observable.compactMap { ideal in ours[ideal.timestamp].map { ($0, ideal) } }
      return (
        observable.count, observable.count { publishable.contains($0.timestamp) },
        common.count { publishable.contains($0.1.timestamp) }, common
      )
    }
    values[.idealAngleAvailability] = .fraction(compared.map { ($0.publishable, $0.observable) })
    values[.angleAvailability] = .fraction(compared.map { ($0.common.count, $0.observable) })
    values[.angleAvailabilityPublishable] = .fraction(compared.map { ($0.publishedByBoth, $0.publishable) })
    let errors = compared.map { $0.common.map { ($0.ours.error, $0.ideal.error) } }
    values[.angleErrorRatio] = .ratioOfQuantiles(errors, 0.5)
    values[.angleErrorRatio90] = .ratioOfQuantiles(errors, 0.9)
    values[.halfWidthRatio] = .ratioOfQuantiles(
      compared.map { $0.common.map { ($0.ours.halfWidth, $0.ideal.halfWidth) } }, 0.5)
    // A trial that never reaches 10 degrees counts as infinite: leaving it out would bias the median down.
    values[.timeTo10DegreesRatio] = .ratioOfMedians(
      pairs.compactMap { pair in
        pair.ideal.published.narrowAngleAt.map { (pair.peer.narrowAngleAt ?? .infinity, $0) }
      })
  }
}

/// What one range tells of a link's white noise, of four pairs side by side, weighted by their shares.
///
/// An innovation `y` of variance `S = V + w^2` tells of `w^2` by `y^2 - V`, and as much as `g = (w^2 / S)^2` of a range whose everything else is
/// known (the ratio of Fisher informations). Blocked and gross ranges tell nothing. Source of learning a noise beside the state: Sarkka and
/// Nummenmaa, IEEE TAC 54(3), 2009, doi:10.1109/TAC.2008.2008348.
struct WhiteNoiseNews {
  /// The same of all pairs under one noise.
  struct Sum {
    var share = 0.0
    var degrees = 0.0
    var change = 0.0

    mutating func add(_ news: WhiteNoiseNews, _ lane: Int) {
      share += news.share[lane]
      degrees += news.degrees[lane]
      change += news.change[lane]
    }
  }

  /// Shares of all ways.
  var share = Lanes.zero
  /// Shares times `g`.
  var degrees = Lanes.zero
  /// Shares times `g (y^2 - V - w^2)`, m^2.
  var change = Lanes.zero

  @inline(__always)
  mutating func add(_ outcome: SightWay.Outcome, white: Lanes, share: Lanes) {
    let part = white / outcome.variance
    let weight = (share * outcome.responsibility * part * part).replacing(with: 0, where: share .<= 0)
    let change = outcome.innovation * outcome.innovation - outcome.variance
    degrees += weight
    self.change += weight * change.replacing(with: 0, where: share .<= 0)
  }
}

import Foundation
import Geometry

extension GaussianSum {
  /// What a first range tells of the distance, all directions alike: one pair for each candidate of the noise.
  ///
  /// - Parameters:
  ///   - statedNoise: the total 1-sigma that the recording states, metres.
  ///   - knowledge: of the radio, instead of that.
  init(
    folded first: PeerFilter.Range, _ configuration: RangingConfiguration, layout: LinkLayout, statedNoise: Double?,
    knowledge: LinkKnowledge? = nil
  ) {
    let weighed =
      knowledge?.noises.map { ($0.noise, log($0.share)) }
      ?? configuration.weighedNoises(stated: statedNoise, antennaCount: layout.antennaCount)
    self.init(anchor: first.antenna, layout: layout, noises: weighed.map(\.0))
    let prior = LinkPrior(configuration: configuration, layout: layout, bias: knowledge?.bias)
    for (index, (noise, stated)) in weighed.enumerated() {
      for isBlocked in [false, true] {
        let half = prior.half(first, noise, blocked: isBlocked)
        append(
          MixtureComponent(
            logWeight: stated + half.logShare, direction: Vector3(1, 0, 0), tangent: Vector3(0, 1, 0), noise: index,
            scalars: half.scalars, covariance: half.covariance))
      }
    }
  }

  /// Every pair once for each direction, with a logarithm of a prior for it; nothing but the distance may be known of the pairs.
  ///
  /// Each is told to be as wide as the lattice is: 0.55 of the side of a square with a direction's share of the sphere.
  package func withDirections(over directions: [Vector3], logPrior: (Vector3) -> Double) -> GaussianSum {
    let width = 0.55 * (4 * Double.pi / Double(directions.count)).squareRoot()
    var pairs = self
    pairs.forEachCell { p, _, _, _ in for k in [0, 2] { p[k] += width * width } }
    var result = GaussianSum(anchor: anchor, layout: layout, noises: noises)
    result.reserveCapacity(count * directions.count)
    for (node, u) in directions.enumerated() {
      let (prior, tangent) = (logPrior(u), u.tangentBasis.0)
      for i in 0..<count {
        result.append(i, of: pairs, direction: u, tangent: tangent, node: node)
        result.logWeight[result.count - 1] += prior
      }
    }
    return result
  }

  /// All of them as one pair, with the mean and covariance of all; its other half weighs nothing.
  func merged(shares: [Double]) -> GaussianSum {
    var result = GaussianSum(anchor: anchor, layout: layout, noises: noises)
    guard count > 0 else { return result }
    func share(_ i: Int) -> MixtureComponent {
      var hypothesis = self[i]
      hypothesis.logWeight = log(max(shares[i], 1e-300))
      return hypothesis
    }
    var one = (1..<count).reduce(share(0)) { $0.merged(with: share($1)) }
    one.logWeight = 0
    result.append(one)
    one.logWeight = -.infinity
    result.append(one)
    return result
  }
}

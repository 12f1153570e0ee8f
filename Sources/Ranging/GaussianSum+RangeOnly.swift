import Foundation
import Geometry

extension GaussianSum {
  /// Initialisation by a first range, direction unobserved: one pair for each noise candidate.
  ///
  /// - Parameters:
  ///   - statedNoise: total 1-sigma given by the recording, metres.
  ///   - knowledge: of the radio, used instead of that.
  init(
    rangeOnly first: PeerFilter.Range, _ configuration: RangingConfiguration, layout: LinkLayout, statedNoise: Double?,
    knowledge: LinkKnowledge? = nil
  ) {
    let candidates =
      knowledge?.noises.map { ($0.noise, log($0.probability)) }
      ?? configuration.noisePriors(stated: statedNoise, antennaCount: layout.antennaCount)
    self.init(anchor: first.antenna, layout: layout, noises: candidates.map(\.0))
    let prior = LinkPrior(configuration: configuration, layout: layout, bias: knowledge?.bias)
    for (index, (noise, logPrior)) in candidates.enumerated() {
      for isNLOS in [false, true] {
        let half = prior.half(first, noise, isNLOS: isNLOS)
        append(
          MixtureComponent(
            logWeight: logPrior + half.logPrior, direction: Vector3(1, 0, 0), tangent: Vector3(0, 1, 0), noise: index,
            scalars: half.scalars, covariance: half.covariance))
      }
    }
  }

  /// Copies every pair into each direction, with the log prior of the direction; only the distance may be known of the
  /// pairs.
  ///
  /// Each copy has the width of the lattice: 0.55 of the side of a square with a direction's part of the solid angle.
  package func withDirections(over directions: [Vector3], logPrior: (Vector3) -> Double) -> GaussianSum {
    let width = 0.55 * (4 * Double.pi / Double(directions.count)).squareRoot()
    var pairs = self
    pairs.forEachCell { p, _, _, _ in for k in [0, 2] { p[k] += width * width } }
    var result = GaussianSum(anchor: anchor, layout: layout, noises: noises)
    result.reserveCapacity(count * directions.count)
    for (latticeDirection, u) in directions.enumerated() {
      let (prior, tangent) = (logPrior(u), u.tangentBasis.0)
      for i in 0..<count {
        result.append(i, of: pairs, direction: u, tangent: tangent, latticeDirection: latticeDirection)
        result.logWeight[result.count - 1] += prior
      }
    }
    return result
  }

  /// All components as one pair with their moments; its NLOS component has zero weight.
  func merged(weights: [Double]) -> GaussianSum {
    var result = GaussianSum(anchor: anchor, layout: layout, noises: noises)
    guard count > 0 else { return result }
    func weighted(_ i: Int) -> MixtureComponent {
      var hypothesis = self[i]
      hypothesis.logWeight = log(max(weights[i], 1e-300))
      return hypothesis
    }
    var one = (1..<count).reduce(weighted(0)) { $0.merged(with: weighted($1)) }
    one.logWeight = 0
    result.append(one)
    one.logWeight = -.infinity
    result.append(one)
    return result
  }
}

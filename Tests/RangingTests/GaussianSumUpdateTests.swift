import Foundation
import Geometry
import Ranging
import Simulation
import Testing

@Suite struct GaussianSumUpdateTests {
  private static func observation(
    _ set: GaussianSum, antennas: [String], _ random: inout SeededRandom, error: Double
  ) -> RangeObservation {
    let antenna = set.anchor + 0.3 * random.gaussian3()
    return RangeObservation(
      range: (set.position(0) - antenna).norm + error, antenna: antenna, columns: set.layout.columns(of: antennas.last),
      seconds: 0.1, extraVariance: 0, configuration: RangingConfiguration())
  }

  /// Pairs are independent: any number of pairs, also where a group of four is not full, gives the results of each
  /// alone.
  @Test(arguments: [[""], ["a", "b"]]) func pairsAreIndependent(antennas: [String]) {
    var random = SeededRandom(seed: 91)
    for count in 1...9 {
      var all = RandomGaussianSum.make(&random, antennas: antennas, count: count, isMoving: count % 2 == 0)
      let before = all
      let observation = Self.observation(all, antennas: antennas, &random, error: 0.3 * random.gaussian())
      let result = all.update(observation)
      var density = 0.0
      for pair in 0..<count {
        var alone = GaussianSum(anchor: before.anchor, layout: before.layout, noises: before.noises)
        for half in 0..<2 { alone.append(before[2 * pair + half]) }
        let weight = (0..<2).reduce(0.0) { $0 + exp(before.logWeight[2 * pair + $1]) }
        density += weight * exp(alone.update(observation).logDensity)
        for half in 0..<2 {
          let (found, expected) = (all[2 * pair + half], alone[half])
          #expect(abs(found.logWeight - expected.logWeight) < 1e-6)
          #expect((found.direction - expected.direction).norm < 1e-6)
          for (a, b) in zip(found.scalars, expected.scalars) { #expect(abs(a - b) < 1e-6) }
          for (a, b) in zip(found.covariance, expected.covariance) { #expect(abs(a - b) < 1e-6) }
        }
      }
      let whole = before.logWeight.reduce(0) { $0 + exp($1) }
      #expect(abs(result.logDensity - log(density / whole)) < 1e-6)
    }
  }

  /// AVX2 and baseline: the same operations in the same order, without fused multiplications.
  @Test(arguments: [[""], ["a", "b"], ["a", "b", "c"]]) func everyProcessorGivesTheSameBits(antennas: [String]) {
    var random = SeededRandom(seed: 93)
    for count in 1...20 {
      var wide = RandomGaussianSum.make(&random, antennas: antennas, count: count, isMoving: count % 3 == 0)
      var baseline = wide
      baseline.usesBaseline = true
      for _ in 0..<5 {
        let (lost, device) = (1e-3 * random.uniform(), random.gaussian3())
        func pass(_ set: inout GaussianSum) {
          set.predict(seconds: 0.1, metres: 0.05, antennaCorrelation: 0.4)
          set.drift(position: lost * Matrix3.identity, yawVariance: lost, device: device)
        }
        pass(&wide)
        pass(&baseline)
        let observation = Self.observation(wide, antennas: antennas, &random, error: 0.5 * random.gaussian())
        let curvatures = (
          wide.curvatures(antenna: observation.antenna), baseline.curvatures(antenna: observation.antenna)
        )
        #expect(curvatures.0 == curvatures.1)
        let predicted = [wide, baseline].map {
          $0.predictedRange(count, antenna: observation.antenna, columns: observation.columns)
        }
        #expect(predicted[0].row == predicted[1].row && predicted[0].variance == predicted[1].variance)
        let results = (wide.update(observation), baseline.update(observation))
        #expect(results.0.logDensity == results.1.logDensity)
        #expect(results.0.regular == results.1.regular && results.0.innovation == results.1.innovation)
      }
      #expect(wide.noises == baseline.noises && wide.logWeight == baseline.logWeight)
      for i in 0..<(2 * count) {
        #expect(wide[i].scalars == baseline[i].scalars && wide[i].covariance == baseline[i].covariance)
        #expect(wide[i].direction == baseline[i].direction && wide[i].tangent == baseline[i].tangent)
      }
    }
  }

  /// Under LOS, without outliers and curvature, the update is Kalman's: `P - P h^T h P / s`, the state moved by `P h^T
  /// nu / s`, the weight times the normal density.
  @Test(arguments: [[""], ["a", "b"]]) func losUpdateIsKalmans(antennas: [String]) {
    var random = SeededRandom(seed: 92)
    for _ in 0..<50 {
      var set = RandomGaussianSum.make(&random, antennas: antennas, count: 1, spread: 0.3)
      set.logWeight[1] = -80
      var observation = Self.observation(set, antennas: antennas, &random, error: 0.02 * random.gaussian())
      observation.configuration.losLossRate = 0
      observation.configuration.rangeOutlierProbability = 0
      let before = set[0]
      let n = set.dimension
      let (row, variance) = set.predictedRange(0, antenna: observation.antenna, columns: observation.columns)
      let ph = (0..<n).map { r in (0..<n).reduce(0.0) { $0 + before.covariance[r * n + $1] * row[$1] } }
      let white = set.noises[before.noise].white
      let s = variance + white * white
      let x = before.scalars
      let constant = observation.columns.constant.map { x[$0 - 2] } ?? 0
      let distance = (set.position(0) - observation.antenna).norm
      let innovation =
        observation.range - (1 + x[2]) * distance - x[1] - x[observation.columns.coloured - 2] - constant
      let result = set.update(observation)
      let after = set[0]
      let density = -0.5 * innovation * innovation / s - 0.5 * log(2 * .pi * s)
      #expect(abs(result.logDensity - density) < 1e-9)
      #expect(abs(after.logWeight - before.logWeight - density) < 1e-9)
      for k in 2..<n { #expect(abs(after.scalars[k - 2] - x[k - 2] - ph[k] * innovation / s) < 1e-9) }
      var (u, e1) = (before.direction, before.tangent)
      GaussianSum.move(&u, &e1, ph[0] * innovation / s, ph[1] * innovation / s)
      #expect((after.direction - u).norm < 1e-12 && (after.tangent - e1).norm < 1e-12)
      for r in 0..<n {
        for c in 0..<n {
          let expected = before.covariance[r * n + c] - ph[r] * ph[c] / s
          #expect(abs(after.covariance[r * n + c] - expected) < 1e-12)
        }
      }
    }
  }

  /// A merge has the weight, the mean and the covariance of both; the order affects only the tangents.
  @Test func mergingKeepsTheMoments() {
    var random = SeededRandom(seed: 93)
    let set = RandomGaussianSum.make(&random, antennas: [""], count: 1)
    var twin = set[1]
    twin.logWeight += log(3)
    let merged = set[1].merged(with: twin)
    #expect(abs(merged.logWeight - set[1].logWeight - log(4)) < 1e-12)
    #expect((merged.direction - twin.direction).norm < 1e-12)
    for (a, b) in zip(merged.covariance, twin.covariance) { #expect(abs(a - b) < 1e-12) }
    twin.scalars[0] += 0.4
    let apart = set[1].merged(with: twin)
    let n = set.dimension
    #expect(abs(apart.scalars[0] - (set[1].scalars[0] + 0.3)) < 1e-12)
    let expected = twin.covariance[2 * n + 2] + 0.25 * 0.75 * 0.16
    #expect(abs(apart.covariance[2 * n + 2] - expected) < 1e-12)
  }
}

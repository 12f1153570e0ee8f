import Evaluation
import Foundation
import Simulation
import Testing

/// The model fitted to a recording's true errors.
@Suite struct RangeErrorModelTests {
  /// White and Gauss-Markov errors about 0.2 m at 10 Hz, a fraction of them NLOS.
  static func errors(
    white: Double, coloured: Double, memory: Double, count: Int, blocked: Double = 0, random: inout SeededRandom
  ) -> (errors: [Double], blocked: [Bool]) {
    var drifting = coloured * random.gaussian()
    let kept = exp(-0.1 / memory)
    var (errors, flags) = ([Double](), [Bool]())
    for _ in 0..<count {
      drifting = kept * drifting + coloured * (1 - kept * kept).squareRoot() * random.gaussian()
      flags.append(random.chance(blocked))
      errors.append(0.2 + drifting + white * random.gaussian() + (flags.last! ? 1 : 0))
    }
    return (errors, flags)
  }

  static func times(_ count: Int) -> [Double] { (0..<count).map { 0.1 * Double($0) } }

  @Test(arguments: [(0.06, 0.08, 2.0), (0.10, 0.05, 0.5), (0.03, 0.15, 1.0)])
  func theFitFindsTheModel(white: Double, coloured: Double, memory: Double) throws {
    var random = SeededRandom(seed: 321)
    let (errors, _) = Self.errors(white: white, coloured: coloured, memory: memory, count: 20_000, random: &random)
    let model = try #require(RangeErrorModel.fitted(errors: errors, times: Self.times(20_000)))
    // The smaller part of a sum has the absolute accuracy of the sum.
    let total = (white * white + coloured * coloured).squareRoot()
    #expect(abs(model.white - white) < 0.1 * total, "\(model)")
    #expect(abs(model.coloured - coloured) < 0.1 * total, "\(model)")
    #expect(abs(log(model.memory / memory)) < 0.35, "\(model)")
    #expect(model.constant == 0.15)
  }

  @Test func whiteErrorsAreWhite() throws {
    var random = SeededRandom(seed: 322)
    let (errors, _) = Self.errors(white: 0.1, coloured: 0, memory: 1, count: 5000, random: &random)
    let model = try #require(RangeErrorModel.fitted(errors: errors, times: Self.times(5000)))
    #expect(model.white > 0.095 && model.white < 0.105 && model.coloured < 0.02, "\(model)")
  }

  /// NLOS ranges are set aside by definition, and change the fit little.
  @Test func nlosRangesAreSetAside() throws {
    var random = SeededRandom(seed: 323)
    let (errors, flags) = Self.errors(
      white: 0.06, coloured: 0.08, memory: 2, count: 20_000, blocked: 0.1, random: &random)
    let found = RangeErrorModel.impaired(errors)
    let missed = zip(found, flags).filter { !$0 && $1 }.count
    let wrong = zip(found, flags).filter { $0 && !$1 }.count
    // 1 m is ten sigmas; four sigmas are hardly ever noise.
    #expect(missed == 0 && wrong < 20)
    let model = try #require(RangeErrorModel.fitted(errors: errors, times: Self.times(20_000)))
    #expect(abs(model.white / 0.06 - 1) < 0.15 && abs(model.coloured / 0.08 - 1) < 0.15, "\(model)")
  }

  /// Gaps and dropouts change pairs, not the result.
  @Test func dropoutsDoNotMatter() throws {
    var random = SeededRandom(seed: 324)
    let (errors, _) = Self.errors(white: 0.06, coloured: 0.08, memory: 2, count: 20_000, random: &random)
    let kept = errors.indices.filter { _ in !random.chance(0.3) }
    let model = try #require(
      RangeErrorModel.fitted(errors: kept.map { errors[$0] }, times: kept.map { 0.1 * Double($0) }))
    #expect(abs(model.white / 0.06 - 1) < 0.1 && abs(model.coloured / 0.08 - 1) < 0.1, "\(model)")
  }

  @Test func tooLittleHasNoModel() {
    #expect(RangeErrorModel.fitted(errors: [], times: []) == nil)
    #expect(RangeErrorModel.fitted(errors: [0.1, 0.2, 0.3], times: [0, 1, 2]) == nil)
    #expect(RangeErrorModel.fitted(errors: .init(repeating: 0.1, count: 99), times: Self.times(99)) == nil)
    #expect(RangeErrorModel.fitted(errors: .init(repeating: .nan, count: 99), times: Self.times(99)) == nil)
    #expect(RangeErrorModel.impaired([.nan, 1, 2]) == [false, false, false])
    // All at one time: a standard deviation, no correlation.
    let together = RangeErrorModel.fitted(errors: Self.times(99), times: .init(repeating: 0, count: 99))
    #expect(together?.coloured == 0)
  }
}

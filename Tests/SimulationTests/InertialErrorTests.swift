import Foundation
import Geometry
import SensorData
import Simulation
import SimulationTestSupport
import Testing

/// Scale, misalignment, saturation, jitter and gaps of the IMU.
@Suite struct InertialErrorTests {
  private static func samples(
    _ name: String = "arc", seed: UInt64 = 3, perfect: Bool = true, _ change: (inout Scenario.Inertial) -> Void
  ) throws -> [IMUSample] {
    var scenario = try Scenario.named(name)
    if perfect { scenario = scenario.withoutErrors }
    scenario.camera = nil
    change(&scenario.imu)
    return try Simulator(scenario: scenario, seed: seed).events().compactMap {
      if case .imu(let sample) = $0.event { sample } else { nil }
    }
  }

  /// The least-squares matrix from `inputs` to `outputs`, `(sum y x^T) (sum x x^T)^-1`.
  private static func matrix(_ inputs: [Vector3], _ outputs: [Vector3]) -> Matrix3 {
    let cross = zip(inputs, outputs).map { Matrix3(outer: $1, $0) }.reduce(.zero, +)
    return cross * inputs.map { Matrix3(outer: $0, $0) }.reduce(.zero, +).inverse!
  }

  /// `M = I + S`, estimated from the samples: diagonal and off-diagonal uniform within their limits over many seeds.
  @Test func triadErrorsHaveTheirLimits() throws {
    let (scale, misalignment) = (0.01, 0.005)
    var squares = [0.0, 0.0]
    let seeds = 60
    for seed in 1...UInt64(seeds) {
      let rates = try Self.samples("search", seed: seed) { $0.rate = 20 }
      let wrong = try Self.samples("search", seed: seed) {
        $0.rate = 20
        $0.gyroscopeTriad.scale = scale
        $0.gyroscopeTriad.misalignment = misalignment
        $0.accelerometerTriad.scale = scale
        $0.accelerometerTriad.misalignment = misalignment
      }
      let vectors: [(IMUSample) -> Vector3] = [{ $0.angularVelocity }, { $0.specificForce }]
      for vector in vectors {
        let (inputs, outputs) = (rates.map(vector), wrong.map(vector))
        let m = Self.matrix(inputs, outputs)
        #expect(zip(inputs, outputs).allSatisfy { (m * $0 - $1).norm < 1e-8 })
        for row in 0..<3 {
          for column in 0..<3 {
            let error = row == column ? m[row, column] - 1 : m[row, column]
            #expect(abs(error) <= (row == column ? scale : misalignment) + 1e-8)
            squares[row == column ? 0 : 1] += error * error
          }
        }
      }
    }
    // The mean square of a uniform error is a third of its limit's square, and itself scatters by 0.89 / sqrt(n) of
    // that.
    for (sum, limit, count) in [(squares[0], scale, 6.0), (squares[1], misalignment, 12)] {
      let n = count * Double(seeds)
      #expect(abs(sum / n / (limit * limit / 3) - 1) < 4 * 0.894 / n.squareRoot())
    }
  }

  /// Each axis saturates at its limit, and nothing else changes.
  @Test func readingsSaturateAtTheLimit() throws {
    let unlimited = try Self.samples("arc", perfect: false) { _ in }
    let limited = try Self.samples("arc", perfect: false) {
      $0.gyroscopeTriad.limit = 0.5
      $0.accelerometerTriad.limit = 9
    }
    var saturated = 0
    for (a, b) in zip(unlimited, limited) {
      let (w, f) = (Vector3(repeating: 0.5), Vector3(repeating: 9))
      #expect(b.angularVelocity == a.angularVelocity.clamped(lowerBound: -w, upperBound: w))
      #expect(b.specificForce == a.specificForce.clamped(lowerBound: -f, upperBound: f))
      if a != b { saturated += 1 }
    }
    #expect(saturated > 100 && unlimited.count == limited.count)
    let yaml = """
      name: x
      description: y
      motion: [{hold: {duration_s: 1}}]
      imu: {gyroscope_range_deg_s: 180, accelerometer_range_g: 2}
      """
    let scenario = try Scenario(yaml: yaml, file: "x.yaml")
    #expect(scenario.imu.gyroscopeTriad.limit == .pi && scenario.imu.accelerometerTriad.limit == 2 * 9.80665)
  }

  /// The stamp has an error, not the sample: white, of the set deviation, never out of order.
  @Test func stampsJitterAndStayInOrder() throws {
    let exact = try Self.samples { _ in }
    let jittered = try Self.samples { $0.stampJitter = 0.0005 }
    #expect(exact.map(\.angularVelocity) == jittered.map(\.angularVelocity))
    let errors = zip(exact, jittered).map { $1.timestamp.seconds(since: $0.timestamp) }
    let n = Double(errors.count)
    let variance = errors.map { $0 * $0 }.reduce(0, +) / n
    #expect(abs(errors.reduce(0, +) / n) < 4 * 0.0005 / n.squareRoot())
    #expect(abs(variance.squareRoot() / 0.0005 - 1) < 4 / (2 * n).squareRoot())
    let correlation = zip(errors, errors.dropFirst()).map(*).reduce(0, +) / n / variance
    #expect(abs(correlation) < 4 / n.squareRoot())
    let wild = try Self.samples { $0.stampJitter = 0.1 }
    // Events are sorted by stamp: samples in another order would show.
    #expect(wild.map(\.angularVelocity) == exact.map(\.angularVelocity))
    #expect(zip(wild, wild.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
  }

  @Test func aGapHasNoRowsAndChangesNoOther() throws {
    let whole = try Self.samples(perfect: false) { _ in }
    let holed = try Self.samples(perfect: false) { $0.gaps = [2...2.5, 7...7.001] }
    let expected = whole.filter {
      let time = $0.timestamp.seconds(since: Simulator.start)
      return !(time >= 2 && time <= 2.5) && !(time >= 7 && time <= 7.001)
    }
    #expect(holed == expected && whole.count - holed.count == 102)
  }

  /// The truth has rows where the sensor has none.
  @Test func truthGoesOnInAGapAndAtItsOwnRate() throws {
    var scenario = try Scenario.named("still")
    scenario.imu.gaps = [2...5]
    scenario.imu.stampJitter = 0.001
    scenario.truthRate = 20
    let truth = try Simulator(scenario: scenario, seed: 1).truth()
    #expect(truth.count == 301)
    for (k, state) in truth.enumerated() {
      #expect(state.timestamp == Simulator.start.advanced(bySeconds: Double(k) / 20))
    }
  }
}

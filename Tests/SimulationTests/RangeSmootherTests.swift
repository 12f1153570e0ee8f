import Foundation
import SensorData
import Simulation
import SimulationTestSupport
import Testing

/// A radio that smooths its ranges before it reports them.
@Suite struct RangeSmootherTests {
  /// Ranges by peer and antenna with and without a filter, in time order.
  private static func ranges(_ filter: RangeFilter?) throws -> [String: [(time: Double, range: Double)]] {
    var scenario = try Scenario.named("two-peers")
    scenario.camera = nil
    scenario.radio.dropoutShare = 0.2
    scenario.radio.antennas = ["a": .zero, "b": .init(0.1, 0, 0)]
    scenario.radio.filter = filter
    let ranges = try Simulator(scenario: scenario, seed: 2).ranges
    return Dictionary(grouping: ranges) { "\($0.peer) \($0.antenna ?? "")" }
      .mapValues { $0.map { ($0.timestamp.seconds(since: Simulator.start), $0.range) } }
  }

  @Test func meansAreOfTheNewestRanges() throws {
    let (raw, smoothed) = (try Self.ranges(nil), try Self.ranges(.mean(count: 7)))
    #expect(raw.count == 4 && raw.keys == smoothed.keys)
    for (link, ranges) in raw {
      let reported = try #require(smoothed[link])
      #expect(reported.count == ranges.count && ranges.count > 50)
      for k in ranges.indices {
        let newest = ranges[max(0, k - 6)...k].map(\.range)
        #expect(reported[k].time == ranges[k].time)
        #expect(abs(reported[k].range - newest.reduce(0, +) / Double(newest.count)) < 1e-9)
      }
    }
  }

  @Test func exponentialMeansForget() throws {
    let (raw, smoothed) = (try Self.ranges(nil), try Self.ranges(.exponential(weight: 0.2)))
    for (link, ranges) in raw {
      var expected = ranges[0].range
      for (k, reported) in try #require(smoothed[link]).enumerated() {
        if k > 0 { expected = 0.8 * expected + 0.2 * ranges[k].range }
        #expect(abs(reported.range - expected) < 1e-9)
      }
    }
  }

  @Test func lagsReportThePast() throws {
    let (raw, smoothed) = (try Self.ranges(nil), try Self.ranges(.lag(seconds: 0.43)))
    for (link, ranges) in raw {
      let reported = try #require(smoothed[link])
      #expect(reported.first!.time >= ranges[0].time + 0.43)
      for report in reported {
        let past = report.time - 0.43
        let next = try #require(ranges.firstIndex { $0.time > past })
        let (a, b) = (ranges[next - 1], ranges[next])
        #expect(abs(report.range - a.range - (past - a.time) / (b.time - a.time) * (b.range - a.range)) < 1e-6)
      }
    }
  }

  /// Filters that do nothing report what was measured.
  @Test(arguments: [RangeFilter.mean(count: 1), .exponential(weight: 1), .lag(seconds: 0)])
  func idleFiltersChangeNothing(_ filter: RangeFilter) throws {
    let (raw, smoothed) = (try Self.ranges(nil), try Self.ranges(filter))
    for (link, ranges) in raw { #expect(try #require(smoothed[link]).map(\.range) == ranges.map(\.range)) }
  }

  /// A range is impaired where an impaired one has more than a tenth of it: one outlier impairs the mean of four for four ranges.
  @Test func impairedRangesLastInAMean() throws {
    var scenario = try Scenario.named("two-peers").withoutErrors
    scenario.camera = nil
    scenario.radio.nlosIntervals = [5...5.25]
    let raw = try Simulator(scenario: scenario, seed: 2).impairedRanges()
    scenario.radio.filter = .mean(count: 4)
    let smoothed = try Simulator(scenario: scenario, seed: 2).impairedRanges()
    for (peer, times) in raw {
      #expect((2...3).contains(times.count))
      #expect(smoothed[peer]?.count == times.count + 3 && smoothed[peer]?.isSuperset(of: times) == true)
    }
  }

  /// The recording states the filter where the scenario says so.
  @Test func theFilterIsStatedOnRequest() throws {
    let yaml = "name: x\ndescription: y\npeers: [{id: a, ahead_m: 3}]\nmotion: [{hold: {duration_s: 1}}]\n"
    let cases: [(String, RangeFilter?)] = [
      ("", nil), ("uwb: {range_filter: {mean_of: 10}}\n", nil),
      ("uwb: {range_filter: {mean_of: 10}, range_filter_stated: true}\n", .mean(count: 10)),
      ("uwb: {range_filter: {exponential: 0.2}, range_filter_stated: true}\n", .exponential(weight: 0.2)),
      ("uwb: {range_filter: {lag: 0.4}, range_filter_stated: true}\n", .lag(seconds: 0.4)),
    ]
    for (section, stated) in cases {
      let simulator = try Simulator(scenario: Scenario(yaml: yaml + section, file: "x.yaml"), seed: 1)
      #expect(simulator.statedRig.radio?.rangeFilter == stated)
    }
  }

  /// Two tags with one id: both ranges bear it, and it has no truth; nor has the odometry's stated noise to be true.
  @Test func twoTagsMayShareAnId() throws {
    let yaml = """
      name: x
      description: y
      peers: [{id: a, ahead_m: 3}, {id: b, ahead_m: 9, reports_as: a}, {id: c, ahead_m: 5}]
      camera: none
      odometry: {claimed_noise_factor: 4}
      motion: [{hold: {duration_s: 5}}]
      """
    let simulator = try Simulator(scenario: Scenario(yaml: yaml, file: "x.yaml"), seed: 1)
    let ranges = Dictionary(grouping: simulator.ranges, by: \.peer)
    #expect(Set(ranges.keys) == ["a", "c"])
    let shared = try #require(ranges["a"])
    let near = shared.count { $0.range < 5.5 }
    #expect(near > 40 && shared.count - near > 40)
    #expect(simulator.peers.map(\.peer) == ["c"])
    #expect(simulator.statedRig.odometry?.positionRandomWalk == 0.04)
  }
}

import Foundation
import Report
import Testing

/// Fewer samples, the same drawing.
@Suite struct DecimationTests {
  @Test func shortListsStayWhole() {
    #expect(Decimation.kept(count: 5, limit: 5, channels: [[1, 2, 3, 4, 5]]) == [0, 1, 2, 3, 4])
    #expect(Decimation.kept(count: 0, limit: 5, channels: [[]]) == [])
    #expect(Decimation.kept(count: 1, limit: 0, channels: [[nil]]) == [0])
  }

  /// First, last and every extreme survive, in order, and the limit holds.
  @Test func extremesSurvive() {
    let wave: [Double?] = (0..<10_000).map { sin(Double($0) / 300) }
    var spikes: [Double?] = wave.map { _ in 0 }
    spikes[1234] = 9
    spikes[8765] = -7
    let kept = Decimation.kept(count: wave.count, limit: 200, channels: [wave, spikes])
    #expect(kept.count <= 202)
    #expect(kept.first == 0)
    #expect(kept.last == 9999)
    #expect(kept == kept.sorted())
    #expect(Set(kept).isSuperset(of: [1234, 8765]))
    // Every bin of 200 samples keeps its extent.
    for stretch in 0..<50 {
      let all = (200 * stretch..<200 * stretch + 200).map { wave[$0]! }
      let left = kept.filter { $0 / 200 == stretch }.map { wave[$0]! }
      #expect(left.min() == all.min())
      #expect(left.max() == all.max())
    }
  }

  @Test func missingValuesAreNoExtremes() {
    let values: [Double?] = (0..<1000).map { $0 == 500 ? 1 : $0 == 501 ? .nan : nil }
    #expect(Decimation.kept(count: 1000, limit: 10, channels: [values]) == [0, 500, 999])
  }

  /// A scatter plot keeps the density of its middle: extremes alone would draw only its edges.
  @Test func cloudsStayClouds() {
    let cloud: [Double?] = (0..<9000).map { sin(1.7 * Double($0)) * sin(0.3 * Double($0)) }
    let kept = Decimation.sampled(count: cloud.count, limit: 800, channels: [cloud])
    #expect(kept.count <= 802)
    #expect(kept.first == 0 && kept.last == 8999 && kept == kept.sorted())
    func inner(_ indexes: [Int]) -> Double { Double(indexes.count { abs(cloud[$0]!) < 0.3 }) / Double(indexes.count) }
    #expect(inner(kept) > 0.7 * inner(Array(cloud.indices)))
    #expect(Decimation.sampled(count: 3, limit: 3, channels: [[1, 2, 3]]) == [0, 1, 2])
  }
}

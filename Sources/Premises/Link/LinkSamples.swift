import Geometry
import Ranging
import SensorData

/// The ranges of a link as the tests use them: means over a quarter of a second, each with the antenna's place on the path.
///
/// Of several antennas the mean range is that to their mean place, but for `lever^2 / (2 range)`, millimetres.
struct LinkSamples {
  /// Which samples, places in the order of time, and what they measured from where.
  typealias Rows = (samples: Range<Int>, rows: [LinkFit.Row])

  /// Longest memory of a filter whose places are kept, seconds.
  static let memory = 10.0
  /// Length of a sample, seconds; samples are kept so long.
  private static let length = ResidualLaw.sampleLength, span = 30.0

  private struct Sample {
    var time: Timestamp
    var range: Double
    var lever: Vector3
    /// The ranges of which it is the mean, places in `ranges` plus `dropped`.
    var ranges: Range<Int>
  }

  /// The ranges of the sample that is not complete.
  private struct Bin {
    var first: Timestamp
    var start: Int
    var seconds = 0.0
    var range = 0.0
    var lever = Vector3.zero
    var count = 0.0
    var sample: Sample {
      Sample(
        time: first.advanced(bySeconds: seconds / count), range: range / count, lever: lever / count,
        ranges: start..<start + Int(count))
    }
  }

  private var samples: [Sample] = []
  private var bin: Bin?
  /// When and by which antenna each range was measured, as far as a sample or a filter's memory needs it; how many are dropped.
  private var ranges: [(time: Timestamp, lever: Vector3)] = [], dropped = 0

  /// Mean time between the ranges of one antenna, seconds, which a filter counts; nil of fewer than two ranges.
  var interval: Double? {
    guard ranges.count > 1, let first = ranges.first, let last = ranges.last else { return nil }
    var levers: [Vector3] = []
    for range in ranges where !levers.contains(range.lever) { levers.append(range.lever) }
    return Double(levers.count) * last.time.seconds(since: first.time) / Double(ranges.count - 1)
  }

  /// Takes a range in, metres, by an antenna at `lever` in the body frame.
  mutating func append(range: Double, lever: Vector3, at time: Timestamp) {
    if let full = bin, time.seconds(since: full.first) >= Self.length - 1e-6 {
      samples.append(full.sample)
      samples.removeAll { time.seconds(since: $0.time) > Self.span }
      bin = nil
    }
    var open = bin ?? Bin(first: time, start: dropped + ranges.count)
    open.seconds += time.seconds(since: open.first)
    open.range += range
    open.lever += lever
    open.count += 1
    bin = open
    ranges.append((time, lever))
    if let first = ranges.first, time.seconds(since: first.time) > Self.span + 2 * Self.memory {
      let old = ranges.count / 4
      ranges.removeFirst(old)
      dropped += old
    }
  }

  /// Nothing before counts.
  mutating func removeAll() {
    samples.removeAll()
    bin = nil
    dropped += ranges.count
    ranges.removeAll()
  }

  /// The samples that lie inside the path by `margin` seconds at both ends, ranges stamped so many seconds late; nil where the path does not
  /// hold a place of them.
  func rows(_ path: PathHistory, margin: Double, late: Double = 0) -> Rows? {
    let core = core(path, margin)
    return rows(core, path, late: late).map { (core, $0) }
  }

  /// These samples; nil where the path does not hold a place of them.
  func rows(_ chosen: Range<Int>, _ path: PathHistory, late: Double = 0) -> [LinkFit.Row]? {
    guard !chosen.isEmpty else { return nil }
    var rows: [LinkFit.Row] = []
    rows.reserveCapacity(chosen.count)
    var pose = 0
    for s in samples[chosen] {
      guard let place = path.place(of: s.lever, at: s.time.advanced(bySeconds: -late), &pose) else { return nil }
      rows.append(row(s, from: samples[chosen.lowerBound], at: place))
    }
    return rows
  }

  /// The newest samples of `rows(_:margin:)` for which the path holds all that the filter remembers, each with its filtered place.
  func rows(_ path: PathHistory, margin: Double, _ filter: RangeFilter, late: Double = 0) -> Rows? {
    var core = core(path, margin)
    guard let last = core.last else { return nil }
    let places = places(path, filter, late: late, to: samples[last].ranges.upperBound - dropped)
    func place(_ s: Sample) -> Vector3? {
      var sum = Vector3.zero
      for k in s.ranges {
        guard places.indices.contains(k - dropped), let place = places[k - dropped] else { return nil }
        sum += place
      }
      return sum / Double(s.ranges.count)
    }
    let found = samples[core].map { place($0) }
    if let unknown = found.lastIndex(where: { $0 == nil }) { core = core.lowerBound + unknown + 1..<core.upperBound }
    guard !core.isEmpty else { return nil }
    let first = samples[core.lowerBound]
    return (core, zip(samples[core], found.suffix(core.count)).map { row($0, from: first, at: $1!) })
  }

  private func row(_ sample: Sample, from first: Sample, at place: Vector3) -> LinkFit.Row {
    LinkFit.Row(seconds: sample.time.seconds(since: first.time), range: sample.range, place: place)
  }

  private func core(_ path: PathHistory, _ margin: Double) -> Range<Int> {
    guard let first = path.first, let last = path.last else { return 0..<0 }
    let (begin, end) = (first.advanced(bySeconds: margin), last.advanced(bySeconds: -margin))
    let start = samples.firstIndex { $0.time >= begin } ?? samples.count
    return start..<max(samples.lastIndex { $0.time <= end }.map { $0 + 1 } ?? start, start)
  }

  /// The filtered place of each range up to one, nil while the path does not hold all that it rests on.
  private func places(_ path: PathHistory, _ filter: RangeFilter, late: Double, to end: Int) -> [Vector3?] {
    var filters: [(lever: Vector3, place: SmoothedPlace)] = []
    var pose = 0
    return ranges.prefix(max(end, 0)).map { range in
      guard let place = path.place(of: range.lever, at: range.time.advanced(bySeconds: -late), &pose) else {
        filters.removeAll()
        pose = 0
        return nil
      }
      if !filters.contains(where: { $0.lever == range.lever }) { filters.append((range.lever, SmoothedPlace(filter))) }
      let k = filters.firstIndex { $0.lever == range.lever }!
      let smoothed = filters[k].place.append(place, at: range.time)
      return filters[k].place.isComplete ? smoothed : nil
    }
  }
}

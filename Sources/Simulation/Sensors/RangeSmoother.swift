import SensorData

/// A radio that smooths the ranges of a link before it reports them, each antenna on its own: a lost range is not known
/// to it, an outlier or an NLOS interval lasts.
struct RangeSmoother {
  /// A smoothed range is impaired where impaired ones have more than this share of it.
  private static let impairedShare = 0.1

  /// One antenna's memory: what it measured, and how much of that is impaired, 0...1.
  private struct Value {
    var time: Timestamp
    var range: Double
    var impaired: Double
  }

  private let filter: RangeFilter?
  private var memories: [String?: [Value]] = [:]

  /// - Parameter filter: nil: ranges are reported as they are.
  init(_ filter: RangeFilter?) { self.filter = filter }

  /// What the radio reports of its newest range; nil while it has nothing to report.
  mutating func reported(_ draw: RangeSimulator.Draw) -> RangeSimulator.Draw? {
    guard let filter, case .range(var measurement) = draw.event.event else { return draw }
    let newest = Value(
      time: measurement.timestamp, range: measurement.range, impaired: draw.isImpaired ? 1 : 0)
    var memory = memories[measurement.antenna] ?? []
    let smoothed = Self.smoothed(newest, &memory, filter)
    memories[measurement.antenna] = memory
    guard let smoothed else { return nil }
    measurement.range = smoothed.range
    return RangeSimulator.Draw(
      event: TimedEvent(.range(measurement), arrival: draw.event.arrival),
      isImpaired: smoothed.impaired > Self.impairedShare)
  }

  private static func smoothed(_ newest: Value, _ memory: inout [Value], _ filter: RangeFilter) -> Value? {
    func mixed(_ a: Value, _ b: Value, _ share: Double) -> Value {
      Value(
        time: newest.time, range: a.range + share * (b.range - a.range),
        impaired: a.impaired + share * (b.impaired - a.impaired))
    }
    switch filter {
    case .mean(let count):
      memory = Array((memory + [newest]).suffix(count))
      // Running means, so that equal ranges stay what they are.
      return memory.dropFirst().enumerated().reduce(memory[0]) { mixed($0, $1.element, 1 / Double($1.offset + 2)) }
    case .exponential(let weight):
      memory = [memory.first.map { mixed($0, newest, weight) } ?? newest]
      return memory[0]
    case .lag(let seconds):
      memory.append(newest)
      let wanted = newest.time.advanced(bySeconds: -seconds)
      while memory.count > 1, memory[1].time <= wanted { memory.removeFirst() }
      guard memory[0].time <= wanted else { return nil }
      guard memory.count > 1 else { return memory[0] }
      let share = wanted.seconds(since: memory[0].time) / memory[1].time.seconds(since: memory[0].time)
      return mixed(memory[0], memory[1], share)
    }
  }
}

import ArgumentParser
import Foundation
import Geometry
import LeastSquares

/// A sensor whose readings are falsified: a row of the fault matrix.
package enum FaultySensor: String, CaseIterable, ExpressibleByArgument, Sendable {
  case gyroscope, accelerometer, features, ranges, odometry

  /// What of it is falsified, and how far, in its unit; nil has no meaning.
  struct Traits {
    /// The file of its readings, and the columns of a reading's vector; of ranges, where it stands in EuRoC's order.
    var file: String, columns: Range<Int>
    /// The families of a diagnosis that names it: camera and inertial unit count as one.
    var families: Set<String>
    /// Where a reading is at its limit, from the middle on.
    var limits: [Double]?
    /// Ten times the usual noise, a spike, an offset.
    var noise: Double, spike: Double, offset: Double? = nil
  }

  var traits: Traits {
    let (imu, seen) = (FaultyFolder.imu, ["imu", "camera"] as Set)
    return switch self {
    case .gyroscope:
      .init(file: imu, columns: 1..<4, families: seen, limits: [0.5, 0.5, 0.5], noise: 0.03, spike: 50, offset: 0.2)
    case .accelerometer:
      .init(file: imu, columns: 4..<7, families: seen, limits: [10, 10, 10], noise: 0.3, spike: 500, offset: 1.5)
    case .features:
      .init(
        file: FaultyFolder.features, columns: 2..<4, families: seen, limits: Self.image.map { 0.25 * $0 }, noise: 5,
        spike: 150, offset: 30)
    case .ranges:
      .init(file: FaultyFolder.ranges, columns: 2..<3, families: ["radio"], noise: 1, spike: 15, offset: 1)
    case .odometry:
      .init(
        file: FaultyFolder.odometry, columns: 1..<4, families: ["odometry"], limits: [0.3, 0.3, 0.3], noise: 0.1,
        spike: 4)
    }
  }

  /// Width and height of the recordings' images, pixels.
  fileprivate static let image = [640.0, 480.0]
}

/// One fault of one sensor: a column of the fault matrix, by its name there.
package enum SensorFault: String, CaseIterable, ExpressibleByArgument, Sendable {
  case shortGap = "gap 0.5 s", longGap = "gap 5 s"
  case frozen, saturated
  case tenthTooLarge = "x 1.1", twiceTooLarge = "x 2"
  case axesSwapped = "axes swapped", negated
  case turned = "mount off 10 deg", turnedFar = "mount off 90 deg"
  case late = "late 50 ms", veryLate = "late 0.5 s"
  case duplicated, outOfOrder = "out of order", noise = "noise x 10", spikes, offset

  /// The number in its name: seconds, a factor, degrees.
  private var size: Double {
    let number = rawValue.split(separator: " ").lazy.compactMap { Double($0) }.first ?? 0
    return rawValue.hasSuffix(" ms") ? number / 1000 : number
  }

  /// Writes a copy of a recording with a fault of a sensor, or without one; external odometry is made of the truth.
  ///
  /// - Returns: false where the fault has no meaning for the sensor, or the recording lacks it.
  package static func make(
    _ fault: SensorFault?, of sensor: FaultySensor, _ recording: String, to path: String
  ) throws -> Bool {
    let folder = try FaultyFolder(copying: recording, to: path)
    if sensor == .odometry {
      // Every second true pose as another tracker's.
      let truth = try folder.table(FaultyFolder.truth).rows
      try folder.putOdometry(stride(from: 0, to: truth.count, by: 2).map { Array(truth[$0].prefix(8)) })
    }
    guard FaultyFolder.has(sensor.traits.file, in: path) else { return false }
    guard let fault else { return true }
    var readings = try Readings(folder.table(sensor.traits.file), sensor)
    guard try fault.change(&readings, folder) else { return false }
    try folder.put(readings.table, sensor.traits.file)
    return true
  }

  private func change(_ readings: inout Readings, _ folder: FaultyFolder) throws -> Bool {
    if let change = change(of: readings) {
      for row in readings.values.indices { readings.set(row, change(row, readings.values[row])) }
      return true
    }
    let (sensor, start) = (readings.sensor, readings.stamps[0])
    // In the middle, where the device moves.
    let begin = start + (readings.stamps[readings.stamps.count - 1] - start) * 2 / 5
    switch self {
    case .shortGap, .longGap:
      let end = begin + Int64(size * 1e9)
      readings.table.rows = zip(readings.table.rows, readings.stamps).filter { !(begin..<end).contains($0.1) }.map(\.0)
    case .frozen: readings.freeze(from: begin, to: begin + 5_000_000_000)
    case .turned, .turnedFar:
      guard sensor == .odometry else { return false }
      try readings.turnAttitudes(Angle.degrees(size))
    case .late, .veryLate:
      if sensor.traits.file == FaultyFolder.imu {
        // The other half of the unit stays: values move, stamps do not.
        let period = Double(readings.stamps[readings.stamps.count - 1] - start) / Double(readings.stamps.count - 1)
        let step = max(1, Int((size * 1e9 / period).rounded(.toNearestOrEven)))
        for row in readings.values.indices { readings.set(row, readings.values[max(0, row - step)]) }
        return true
      }
      let delay = Int64(size * 1e9)
      for row in readings.stamps.indices { readings.table.rows[row][0] = "\(readings.stamps[row] + delay)" }
      let frames = "mav0/cam0/frames.csv"
      if sensor == .features, FaultyFolder.has(frames, in: folder.path) {
        try folder.change(frames) { $0[0] = "\(try FaultyFolder.integer($0[0]) + delay)" }
      }
    case .duplicated: readings.table.rows = readings.table.rows.flatMap { [$0, $0] }
    case .outOfOrder:
      for row in stride(from: 0, to: readings.table.rows.count - 1, by: 10) { readings.table.rows.swapAt(row, row + 1) }
    default: return false
    }
    return true
  }

  /// The change of one reading, by row and vector; nil for faults of rows, and those without a meaning.
  private func change(of readings: Readings) -> ((Int, [Double]) -> [Double])? {
    let (sensor, values, stamps) = (readings.sensor, readings.values, readings.stamps)
    let traits = sensor.traits
    let middle =
      sensor == .features
      ? FaultySensor.image.map { $0 / 2 } : sensor == .odometry ? values[0] : values[0].map { _ in 0 }
    switch self {
    case .tenthTooLarge, .twiceTooLarge:
      let factor = size
      return { _, v in zip(middle, v).map { $0 + factor * ($1 - $0) } }
    case .saturated:
      guard let limits = traits.limits else {
        let limit = values.map { $0[0] }.median ?? 0
        return { _, v in [min(v[0], limit)] }
      }
      return { _, v in v.indices.map { min(max(v[$0], middle[$0] - limits[$0]), middle[$0] + limits[$0]) } }
    case .axesSwapped: return sensor == .ranges ? nil : { _, v in [v[1], v[0]] + v[2...] }
    case .negated where sensor == .ranges:
      // Near is far, and far is near.
      let ranges = values.map { $0[0] }
      let ends = ranges.min()! + ranges.max()!
      return { _, v in [ends - v[0]] }
    case .negated where sensor == .features || sensor == .odometry:
      return { _, v in [2 * middle[0] - v[0]] + v[1...] }
    case .negated: return { _, v in v.map { -$0 } }
    case .turned, .turnedFar:
      let angle = Angle.degrees(size)
      return sensor == .ranges || sensor == .odometry ? nil : { _, v in Self.turned(v, angle) }
    case .noise:
      let draw = PythonRandom("\(sensor) \(rawValue)")
      return { _, v in v.map { $0 + draw.gaussian(0, traits.noise) } }
    case .spikes:
      var spiked: Set<Int> = []
      return { row, v in
        // All features of one frame, one reading of another sensor, every two seconds.
        let seconds = Double(stamps[row] - stamps[0]) / 1e9
        let turn = Int(seconds / 2)
        if seconds < 2 || sensor != .features && spiked.contains(turn) { return v }
        if sensor == .features, seconds.truncatingRemainder(dividingBy: 2) > 0.03 { return v }
        spiked.insert(turn)
        return v.map { $0 + traits.spike }
      }
    case .offset: return traits.offset.map { offset in { _, v in v.map { $0 + offset } } }
    default: return nil
    }
  }

  /// About (1, 1, 0).
  fileprivate static func rotation(_ angle: Double) -> Rotation { .exp(angle * Vector3(1, 1, 0).normalized) }

  /// A vector turned; in the image plane about its middle.
  private static func turned(_ v: [Double], _ angle: Double) -> [Double] {
    let middle = v.count == 2 ? FaultySensor.image.map { $0 / 2 } : [0, 0, 0]
    let offset = Vector3(zip(v, middle).map { $0 - $1 } + (v.count == 2 ? [0] : []))
    let turned = (v.count == 2 ? Rotation.yaw(angle) : rotation(angle)) * offset
    return middle.indices.map { middle[$0] + turned[$0] }
  }
}

/// The readings of a sensor in its table.
struct Readings {
  let sensor: FaultySensor
  var table: FaultyFolder.Table
  /// As they were.
  let stamps: [Int64]
  let values: [[Double]]
  private let columns: Range<Int>

  init(_ table: FaultyFolder.Table, _ sensor: FaultySensor) throws {
    (self.sensor, self.table) = (sensor, table)
    let range = sensor == .ranges ? table.column("range").map { Range($0...$0) } : nil
    let columns = range ?? sensor.traits.columns
    self.columns = columns
    stamps = try table.rows.map { try FaultyFolder.integer($0[0]) }
    values = try table.rows.map { try $0[columns].map(FaultyFolder.number) }
    guard stamps.count > 1 else {
      throw LabError("\(sensor.traits.file): found \(stamps.count) rows, expected two or more")
    }
  }

  /// Replaces a reading; a range is not negative.
  mutating func set(_ row: Int, _ value: [Double]) {
    let cells = value.map { Digits.fixed($0, 7) }
    let isNegative = sensor == .ranges && Double(cells[0])! < 0
    table.rows[row].replaceSubrange(columns, with: isNegative ? ["0"] : cells)
  }

  /// Repeats the last reading before an interval; of a feature, or a peer, its own.
  mutating func freeze(from begin: Int64, to end: Int64) {
    var last: [String: [Double]] = [:]
    for row in values.indices {
      let key = sensor == .features || sensor == .ranges ? table.rows[row][1] : ""
      if stamps[row] >= begin, let value = last[key] {
        if stamps[row] < end { set(row, value) }
      } else {
        last[key] = values[row]
      }
    }
  }

  /// Turns the attitudes of poses.
  mutating func turnAttitudes(_ angle: Double) throws {
    for row in table.rows.indices {
      let turned = try Rotation(cells: table.rows[row][4..<8]) * SensorFault.rotation(angle)
      table.rows[row].replaceSubrange(4..<8, with: turned.elements.map { Digits.fixed($0, 9) })
    }
  }
}

import ArgumentParser
import Foundation
import LeastSquares

/// A sensor whose readings are falsified: a row of the fault matrix.
package enum FaultySensor: String, CaseIterable, ExpressibleByArgument, Sendable {
  case gyroscope, accelerometer, features, ranges, odometry

  /// The file of its readings.
  var file: String {
    switch self {
    case .gyroscope, .accelerometer: FaultyFolder.imu
    case .features: FaultyFolder.features
    case .ranges: FaultyFolder.ranges
    case .odometry: "mav0/odometry0/data.csv"
    }
  }

  /// The columns of a reading's vector; of ranges, where the column stands in EuRoC's order.
  var columns: Range<Int> {
    switch self {
    case .gyroscope, .odometry: 1..<4
    case .accelerometer: 4..<7
    case .features: 2..<4
    case .ranges: 2..<3
    }
  }

  /// Where a reading is at its limit, from the middle on; ten times the usual noise; a spike; an offset: in the sensor's
  /// unit. Nil: has no meaning.
  var sizes: (limits: [Double]?, noise: Double, spike: Double, offset: Double?) {
    switch self {
    case .gyroscope: ([0.5, 0.5, 0.5], 0.03, 50, 0.2)
    case .accelerometer: ([10, 10, 10], 0.3, 500, 1.5)
    case .features: ([0.25 * Self.image[0], 0.25 * Self.image[1]], 5, 150, 30)
    case .ranges: (nil, 1, 15, 1)
    case .odometry: ([0.3, 0.3, 0.3], 0.1, 4, nil)
    }
  }

  /// The families of a diagnosis that names it: camera and inertial unit count as one.
  var families: Set<String> {
    switch self {
    case .gyroscope, .accelerometer, .features: ["imu", "camera"]
    case .ranges: ["radio"]
    case .odometry: ["odometry"]
    }
  }

  /// Width and height of the recordings' images, pixels.
  fileprivate static let image = [640.0, 480.0]
}

/// One fault of one sensor: a column of the fault matrix.
package enum SensorFault: Equatable, Sendable {
  case gap(seconds: String)
  case frozen, saturated
  case scaled(String)
  case axesSwapped, negated
  case turned(degrees: String)
  case late(String, seconds: Double)
  case duplicated, outOfOrder, noise, spikes, offset

  package static let all: [SensorFault] = [
    .gap(seconds: "0.5"), .gap(seconds: "5"), .frozen, .saturated, .scaled("1.1"), .scaled("2"), .axesSwapped,
    .negated, .turned(degrees: "10"), .turned(degrees: "90"), .late("50 ms", seconds: 0.05),
    .late("0.5 s", seconds: 0.5), .duplicated, .outOfOrder, .noise, .spikes, .offset,
  ]

  /// Its name in the matrix.
  package var name: String {
    switch self {
    case .gap(let seconds): "gap \(seconds) s"
    case .frozen: "frozen"
    case .saturated: "saturated"
    case .scaled(let factor): "x \(factor)"
    case .axesSwapped: "axes swapped"
    case .negated: "negated"
    case .turned(let degrees): "mount off \(degrees) deg"
    case .late(let words, _): "late \(words)"
    case .duplicated: "duplicated"
    case .outOfOrder: "out of order"
    case .noise: "noise x 10"
    case .spikes: "spikes"
    case .offset: "offset"
    }
  }

  /// Writes a copy of a recording with a fault of a sensor, or without one; external odometry is made of the truth.
  ///
  /// - Returns: false where the fault has no meaning for the sensor, or the recording lacks it.
  package static func make(
    _ fault: SensorFault?, of sensor: FaultySensor, _ recording: String, to path: String
  ) throws -> Bool {
    let folder = try FaultyFolder(copying: recording, to: path)
    if sensor == .odometry { try folder.becomeOdometry() }
    guard FaultyFolder.has(sensor.file, in: path) else { return false }
    guard let fault else { return true }
    var readings = try Readings(folder.table(sensor.file), sensor)
    guard try fault.change(&readings, folder) else { return false }
    try folder.put(readings.table, sensor.file)
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
    case .gap(let seconds):
      let end = begin + Int64(Double(seconds)! * 1e9)
      readings.table.rows = zip(readings.table.rows, readings.stamps).filter { !(begin..<end).contains($0.1) }.map(\.0)
    case .frozen: readings.freeze(from: begin, to: begin + 5_000_000_000)
    case .turned(let degrees) where sensor == .odometry: try readings.turnAttitudes(Double(degrees)!)
    case .late(_, let seconds) where sensor == .gyroscope || sensor == .accelerometer:
      // The other half of the unit stays: values move, stamps do not.
      let period = Double(readings.stamps[readings.stamps.count - 1] - start) / Double(readings.stamps.count - 1)
      let step = max(1, Int((seconds * 1e9 / period).rounded(.toNearestOrEven)))
      for row in readings.values.indices { readings.set(row, readings.values[max(0, row - step)]) }
    case .late(_, let seconds):
      for row in readings.stamps.indices {
        readings.table.rows[row][0] = "\(readings.stamps[row] + Int64(seconds * 1e9))"
      }
      let frames = "mav0/cam0/frames.csv"
      if sensor == .features, FaultyFolder.has(frames, in: folder.path) {
        try folder.change(frames) { $0[0] = "\(try FaultyFolder.integer($0[0]) + Int64(seconds * 1e9))" }
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
    let sizes = sensor.sizes
    let middle =
      sensor == .features
      ? FaultySensor.image.map { $0 / 2 } : sensor == .odometry ? values[0] : values[0].map { _ in 0 }
    switch self {
    case .scaled(let factor):
      let factor = Double(factor)!
      return { _, v in zip(middle, v).map { $0 + factor * ($1 - $0) } }
    case .saturated:
      guard let limits = sizes.limits else {
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
    case .turned(let degrees) where sensor != .ranges && sensor != .odometry:
      return { _, v in Self.turned(v, Double(degrees)! * .pi / 180) }
    case .noise:
      let draw = PythonRandom("\(sensor) \(name)")
      return { _, v in v.map { $0 + draw.gaussian(0, sizes.noise) } }
    case .spikes:
      var spiked: Set<Int> = []
      return { row, v in
        // All features of one frame, one reading of another sensor, every two seconds.
        let seconds = Double(stamps[row] - stamps[0]) / 1e9
        let turn = Int(seconds / 2)
        if seconds < 2 || sensor != .features && spiked.contains(turn) { return v }
        if sensor == .features, seconds.truncatingRemainder(dividingBy: 2) > 0.03 { return v }
        spiked.insert(turn)
        return v.map { $0 + sizes.spike }
      }
    case .offset: return sizes.offset.map { offset in { _, v in v.map { $0 + offset } } }
    default: return nil
    }
  }

  /// A vector turned about (1, 1, 0); in the image plane about its middle.
  private static func turned(_ v: [Double], _ angle: Double) -> [Double] {
    let (c, s) = (cos(angle), sin(angle))
    if v.count == 2 {
      let middle = FaultySensor.image.map { $0 / 2 }
      let (x, y) = (v[0] - middle[0], v[1] - middle[1])
      return [middle[0] + c * x - s * y, middle[1] + s * x + c * y]
    }
    let half = 0.5.squareRoot()
    let k = [half, half, 0]
    let cross = [k[1] * v[2] - k[2] * v[1], k[2] * v[0] - k[0] * v[2], k[0] * v[1] - k[1] * v[0]]
    let dot = zip(k, v).reduce(0) { $0 + $1.0 * $1.1 }
    return (0..<3).map { v[$0] * c + cross[$0] * s + k[$0] * dot * (1 - c) }
  }
}

/// The readings of a sensor in its table.
private struct Readings {
  let sensor: FaultySensor
  var table: FaultyFolder.Table
  /// As they were.
  let stamps: [Int64]
  let values: [[Double]]
  private let columns: Range<Int>

  init(_ table: FaultyFolder.Table, _ sensor: FaultySensor) throws {
    (self.sensor, self.table) = (sensor, table)
    let range = sensor == .ranges ? table.column("range").map { Range($0...$0) } : nil
    let columns = range ?? sensor.columns
    self.columns = columns
    stamps = try table.rows.map { try FaultyFolder.integer($0[0]) }
    values = try table.rows.map { try $0[columns].map(FaultyFolder.number) }
    guard stamps.count > 1 else { throw LabError("\(sensor.file): found \(stamps.count) rows, expected two or more") }
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

  /// Turns the attitudes of poses about (1, 1, 0) of the body.
  mutating func turnAttitudes(_ degrees: Double) throws {
    let half = degrees * .pi / 180 / 2
    let a = 0.5.squareRoot() * sin(half)
    for row in table.rows.indices {
      let turned = try Quaternion(table.rows[row][4..<8]) * Quaternion(cos(half), a, a, 0)
      table.rows[row].replaceSubrange(4..<8, with: turned.elements.map { Digits.fixed($0, 9) })
    }
  }
}

extension FaultyFolder {
  /// Every second true pose as another tracker's; inertial unit and cameras go.
  fileprivate func becomeOdometry() throws {
    try keepDevice()
    let truth = try table(Self.truth)
    for sensor in ["imu0", "cam0", "cam1", "odometry0"] { remove(sensor) }
    let rows = stride(from: 0, to: truth.rows.count, by: 2).map { Array(truth.rows[$0].prefix(8)) }
    let header = truth.header.split(separator: ",").prefix(8).joined(separator: ",")
    try put(Table(header: header, rows: rows), FaultySensor.odometry.file)
    try put(
      "T_BS: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]\nposition_random_walk: 0.01\nyaw_random_walk: 0.003\n",
      "mav0/odometry0/sensor.yaml")
  }
}

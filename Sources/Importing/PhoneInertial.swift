import Datasets
import Geometry
import SensorData

/// One sensor's readings, in a file of its own.
final class PhoneAxes {
  let table: SourceTable
  private let form: TimeForm
  private(set) var head: (time: Int64, value: Vector3)?

  /// - Parameters:
  ///   - columns: the time and three values.
  ///   - names: the names of all columns, of a file without a header.
  init(_ path: String, columns: [SourceTable.Column], names: [String]? = nil, form: TimeForm) throws(DatasetError) {
    table = try SourceTable(path: path, columns: columns, names: names)
    self.form = form
    try advance()
  }

  func advance() throws(DatasetError) {
    head = try table.next { (t: SourceTable) throws(SourceFault) -> (time: Int64, value: Vector3)? in
      (try t.time(0, form), try t.vector(1))
    }
  }
}

/// A phone's inertial unit whose gyroscope and accelerometer are files of their own.
enum PhoneInertial {
  /// Writes one sample a reading of the gyroscope, the acceleration interpolated to it.
  ///
  /// - Parameters:
  ///   - forces: files whose sum is the specific force but for its factor: the second has the stamps of the first.
  ///   - factor: unit and sign.
  static func read(
    gyroscope: PhoneAxes, forces: [PhoneAxes], factor: Double, into target: inout ImportTarget
  ) throws {
    var merger = InertialMerger()
    while let turn = gyroscope.head {
      // The accelerometer's readings up to a little behind this one.
      while let force = forces[0].head, force.time <= turn.time + 200_000_000 {
        var value = force.value
        if forces.count > 1 {
          while let gravity = forces[1].head, gravity.time < force.time { try forces[1].advance() }
          guard let gravity = forces[1].head, gravity.time == force.time else {
            try forces[0].advance()
            continue
          }
          value += gravity.value
        }
        merger.add(accelerometer: factor * value, at: force.time)
        try forces[0].advance()
      }
      merger.add(gyroscope: turn.value, at: turn.time)
      for sample in merger.take() { try target.add(sample, gyroscope.table.refuse) }
      try gyroscope.advance()
    }
    for sample in merger.take() { try target.add(sample, gyroscope.table.refuse) }
    ImportCompleteness.judge(unpaired: merger.unpaired, beyond: merger.waiting, of: merger.readings, &target.report)
    for axis in [gyroscope] + forces { target.report.count("bad rows skipped", axis.table.bad) }
    target.rig.imu = try PhoneUnits.inertial(nil, &target.report)
    target.report.decide(
      "gyroscope and accelerometer are separate files: the acceleration is interpolated to the gyroscope's stamps")
  }
}

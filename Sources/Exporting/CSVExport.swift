import Datasets
import Foundation
import RunResults
import SensorData

/// A run's updates as one CSV table, for spreadsheets: a row an update, empty cells where there is no value.
package enum CSVExport {
  /// The columns.
  package static let header =
    "timestamp [ns],peer,distance [m],distanceStd [m],horizontalAngle [rad],horizontalAngleStd [rad],"
    + "horizontalAngleLow [rad],horizontalAngleHigh [rad],direction_x,direction_y,direction_z,"
    + "verticalDirectionEstimate,x [m],y [m],z [m],quality,status,reasons,guidance"

  /// Writes the table, streamed. The caller commits the file.
  ///
  /// - Returns: how many rows it has.
  @discardableResult
  package static func write(run path: String, to file: OutputFile) throws -> Int {
    let run = try RunFolder(path: path)
    try file.write(Array((header + "\n").utf8))
    for update in run.updates { try file.write(Array((row(update) + "\n").utf8)) }
    return run.updates.count
  }

  private static func row(_ u: UpdateRecord) -> String {
    func number(_ value: Double?) -> String { value.map { "\($0)" } ?? "" }
    let angle = u.horizontalAngle
    let cells: [String] = [
      "\(u.timestamp.nanoseconds)", quoted(u.peer ?? ""), number(u.distance), number(u.distanceStandardDeviation),
      number(angle?.value), number(angle?.standardDeviation), number(angle?.low), number(angle?.high),
      number(u.direction?.x), number(u.direction?.y), number(u.direction?.z), u.verticalDirectionEstimate ?? "",
      number(u.worldPosition?.x), number(u.worldPosition?.y), number(u.worldPosition?.z), u.quality ?? "", u.status,
      u.reasons.joined(separator: " "), quoted(u.guidance ?? ""),
    ]
    return cells.joined(separator: ",")
  }

  /// RFC 4180: in quotes where it has a comma, a quote or a line break. A text that a spreadsheet would take for a formula
  /// has an apostrophe before it, which shows it as text (OWASP, CSV injection).
  private static func quoted(_ text: String) -> String {
    let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
    let shown = isFormula ? "'" + text : text
    guard shown.contains(where: { ",\"\n\r".contains($0) }) else { return shown }
    return "\"" + shown.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }
}

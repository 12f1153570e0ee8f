import Wording

/// docs/fault-matrix.md and its picture.
struct FaultMatrixPage {
  typealias Cells = [FaultMatrix.Key: FaultMatrix.Cell]

  /// What was measured; without what has no meaning.
  let cells: Cells
  /// Shares of wrong arrows without a fault, by recording.
  let healthy: [String: Double]
  private let names: [String]

  init(_ cells: Cells, healthy: [String: Double]) {
    (self.cells, self.healthy) = (cells, healthy)
    names = FaultMatrix.names.filter { name in cells.keys.contains { $0.recording == name } }
  }

  private func row(_ sensor: FaultySensor, _ fault: SensorFault) -> [FaultMatrix.Cell?] {
    names.map { cells[.init(recording: $0, sensor: sensor, fault: fault)] }
  }

  /// The page.
  var text: String {
    let counts = FaultMatrix.Outcome.allCases.compactMap { outcome in
      let count = cells.values.count { $0.outcome == outcome }
      return count == 0 ? nil : "\(count) are \(outcome)"
    }
    let shares = names.map { "\($0) \(Digits.fixed(100 * (healthy[$0] ?? 0), 1)) %" }
    return """
      # Fault matrix

      ![Fault matrix](pictures/fault-matrix.svg)

      One sensor with one fault, on \(names.count) recordings: of \(cells.count) cells \(counts.joined(separator: ", ")).

      - right: converged where it is without the fault, and an angle after 12 s as there
      - named: a diagnosis of the right family, nothing wrong is published
      - silent: nothing wrong is published, and no cause is said
      - refused: exit code 2
      - wrong: 1 % of the published arrows are over 20 degrees off, or a convergence is false, beyond what there is without the fault (\(shares.joined(separator: ", ")))
      - broken: a trap, a hang, another exit code

      The faults: `Sources/fuse-lab/Faults/SensorFault.swift`. What each cell is expected to be: `tools/fault-matrix.json`; CI measures a tenth.

      \(FaultySensor.allCases.map(section).joined(separator: "\n"))
      Columns after the recordings: all diagnoses of the row, and its worst figures. Written by `tools/update-fault-matrix`.

      """
  }

  private func section(_ sensor: FaultySensor) -> String {
    let head = ["fault"] + names + ["diagnoses", "arrows off %", "false %", "s"]
    let rows = SensorFault.allCases.compactMap { fault -> [String]? in
      let row = row(sensor, fault), present = row.compactMap(\.self)
      if present.isEmpty { return nil }
      let codes = Set(present.flatMap { $0.json["diagnoses"]?.elements?.compactMap(\.text) ?? [] }).sorted()
      func worst(_ key: String, _ factor: Double = 1) -> String {
        Digits.fixed(present.compactMap { $0[key] }.max().map { factor * $0 }, 1)
      }
      return [fault.rawValue] + row.map { $0.map { "\($0.outcome)" } ?? "-" } + [
        codes.isEmpty ? "-" : codes.joined(separator: ", "), worst("wrongArrows", 100), worst("falseConverged"),
        worst("seconds"),
      ]
    }
    return (["## \(sensor)", ""] + MarkdownTable.lines(head, rows, texts: names.count + 2)).joined(separator: "\n")
      + "\n"
  }

  /// The picture: a field for each sensor and fault, a bar in it for each recording.
  var picture: String {
    let (left, top, side) = (118, 110, 40)
    let width = left + side * SensorFault.allCases.count + 60, height = top + side * FaultySensor.allCases.count + 58
    func short(_ value: Double) -> String { Digits.significant(value, 6) }
    func rect(_ x: String, _ y: Int, _ width: String, _ height: Int, _ outcome: FaultMatrix.Outcome) -> String {
      "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\" fill=\"\(outcome.colour)\"/>"
    }
    var lines: [String] = []
    for (column, fault) in SensorFault.allCases.enumerated() {
      let x = short(Double(left + side * column) + Double(side) / 2)
      lines.append("<text transform=\"translate(\(x),\(top - 8)) rotate(-45)\">\(fault.rawValue)</text>")
    }
    let bar = Double(side - 4) / Double(max(names.count, 1))
    for (row, sensor) in FaultySensor.allCases.enumerated() {
      let y = top + side * row
      lines.append(
        "<text x=\"\(left - 8)\" y=\"\(short(Double(y) + Double(side) / 2 + 4))\" text-anchor=\"end\">\(sensor)</text>")
      for (column, fault) in SensorFault.allCases.enumerated() {
        lines += self.row(sensor, fault).enumerated().compactMap { place, cell in
          let x = Double(left + side * column + 2) + Double(place) * bar
          return cell.map { rect(Digits.fixed(x, 1), y + 2, Digits.fixed(bar - 0.8, 1), side - 4, $0.outcome) }
        }
      }
    }
    let y = top + side * FaultySensor.allCases.count + 22
    for (number, outcome) in FaultMatrix.Outcome.allCases.enumerated() {
      let x = left + 100 * number
      lines += [rect("\(x)", y, "12", 12, outcome), "<text x=\"\(x + 17)\" y=\"\(y + 10)\">\(outcome)</text>"]
    }
    let order = "bars in a field, from the left: \(names.joined(separator: ", "))"
    lines.append("<text x=\"\(left)\" y=\"\(y + 30)\">\(order)</text>")
    return BarChart.svg(width, height, lines)
  }
}

extension FaultMatrix.Outcome {
  fileprivate var colour: String {
    switch self {
    case .right: "#2f6db3"
    case .named: "#3f9b54"
    case .silent: "#b9d7a8"
    case .refused: "#bdbdbd"
    case .wrong: "#d1432f"
    case .broken: "#000000"
    }
  }
}

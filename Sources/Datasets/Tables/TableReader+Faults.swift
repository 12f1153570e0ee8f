extension TableReader {
  /// The fault of the current row, in words.
  func describe(_ fault: RowFault) -> DatasetError {
    let cell = fault.column.map { shown($0) } ?? ""
    let name = fault.column.map { columns[$0].name } ?? ""
    let number = fault.column.map { columns[$0].expectation } ?? ""
    let (found, expected): (String, String) =
      switch fault.kind {
      case .cellCount, .truncatedLastRow: ("a row of \(cellCount) cells", "\(header.count) as in the header")
      case .repeatedHeader: ("the header once more", "rows")
      case .comment: ("a comment", "rows")
      case .emptyCell, .notMeasured: ("an empty cell in column \(name)", number)
      case .notANumber:
        if columns[fault.column ?? 0].units == ["ns"] || name == "feature_id" {
          ("'\(cell)' in column \(name)", "a whole number of 64 bits" + (name == "feature_id" ? "" : " [ns]"))
        } else {
          ("'\(cell)' in column \(name)", number)
        }
      case .notFinite: ("'\(cell)' in column \(name)", "a finite number")
      case .outOfRange: ("'\(cell)' in column \(name)", bounds(fault.column ?? 0))
      case .negativeRange: ("a range of \(cell)", "a range of 0 m or more")
      case .notUnitQuaternion: ("a quaternion that is not of unit length", "length 1 within 1 %")
      case .timeGoingBack:
        ("\(name) \(cell) after \(order)", wrap?.remedy ?? "rows in order of \(hasArrival ? "arrival" : "time")")
      case .futureStamp:
        (
          "\(name) \(cell), over \(FutureStamp.step / 1_000_000_000) s after \(hasOrder ? "\(order)" : "what follows"), and the next rows are not",
          "rows in order of \(hasArrival ? "arrival" : "time")"
        )
      case .duplicate:
        ("a second row for the same \(name == "timestamp" ? name : "timestamp and \(name)")", "every one once")
      case .unknownAntenna:
        (cell.isEmpty ? "no antenna_id" : "antenna_id '\(cell)'", "one of the antennas in sensor.yaml")
      case .missingImage, .damagedImage, .wrongImageSize, .missingExposure, .unpairedImage:
        ("an image that cannot be used", "a whole image")
      case .frameNotListed: ("features of a frame that frames.csv does not list", "every frame in frames.csv")
      }
    let truncation = lines.isTerminated ? "" : " (the last row is cut short)"
    return DatasetError(file: path, line: line, found: found + truncation, expected: expected)
  }

  private func bounds(_ column: Int) -> String {
    if columns[column].units == ["ns"] {
      return column == 1 ? "an arrival not before the timestamp, within +-2^62 ns" : "a time within +-2^62 ns"
    }
    if columns[column].isText { return "a plain text" }
    let bounds = columns[column].bounds
    return "\(columns[column].expectation) from \(bounds.lowerBound) to \(bounds.upperBound)"
  }

  private func shown(_ column: Int) -> String {
    let (start, count) = cell(column)
    let text = String(decoding: UnsafeBufferPointer(start: start, count: min(count, 40)), as: UTF8.self)
    let plain = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }.joined()
    return count > 40 ? plain + "..." : plain
  }
}

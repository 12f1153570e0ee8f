import SensorData

extension Recording {
  /// Stamp and path of every image that a camera lists, also where its tracks are used; nil where it has no list. Stamps
  /// are as listed, of the middle of the exposure only where the list has it so.
  package func imageFiles(camera: Int) throws(DatasetError) -> [(time: Int64, path: String)]? {
    let folder = "mav0/cam\(camera)"
    guard let list = layout.file("\(folder)/data.csv"), let data = layout.file("\(folder)/data") else { return nil }
    let rows = try RowStream(list, ImageListDecoder(), isStrict: false)
    var found: [(time: Int64, path: String)] = []
    while let row = try rows.next() { found.append((row.time, "\(data.path)/\(row.name)")) }
    return found
  }
}

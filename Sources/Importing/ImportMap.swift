import Datasets
import Geometry

/// A declarative map from foreign files to sensors: the same keys for CSV files here and for topics in the Python
/// package.
struct ImportMap {
  /// One sensor of the map.
  struct Section {
    let name: String
    let file: CalibrationFile

    /// A needed text.
    func text(_ key: String, _ what: String) throws(DatasetError) -> String {
      guard let text = try file.text(key) else {
        throw file.fault(key, found: "no key \(key) below \(name)", expected: "\(key): \(what)")
      }
      return text
    }

    /// One of the words, the first where the key is absent.
    func word(_ key: String, _ words: [String]) throws(DatasetError) -> String {
      guard let text = try file.text(key) else { return words[0] }
      guard words.contains(text) else {
        throw file.fault(key, found: "\(key): \(text)", expected: words.joined(separator: ", "))
      }
      return text
    }

    /// Names of columns.
    func names(_ key: String, _ count: Int, _ what: String) throws(DatasetError) -> [String] {
      guard let names = try file.texts(key), names.count == count else {
        throw file.fault(key, found: "no list of \(count) at \(key) of \(name)", expected: "\(key): \(what)")
      }
      return names
    }

    func check(_ known: [String]) throws(DatasetError) {
      for key in file.keys where !known.contains(key) {
        let meant = Spelling.intended(key, among: known).map { "'\($0)' (misspelt?)" } ?? known.joined(separator: ", ")
        throw file.fault(key, found: "key '\(key)' below \(name)", expected: meant)
      }
    }
  }

  /// Keys of a map.
  static let known = [
    "imu0", "odometry0", "truth", "uwb0", "peers", "cameras", "robot", "accelerometer_sign", "device_T_BS", "device",
    "cam0",
  ]

  let file: CalibrationFile

  init(path: String) throws(DatasetError) {
    file = try CalibrationFile(path: path)
    for key in file.keys where !Self.known.contains(key) {
      let meant = Spelling.intended(key, among: Self.known).map { "'\($0)' (misspelt?)" }
      throw file.fault(key, found: "key '\(key)'", expected: meant ?? Self.known.joined(separator: ", "))
    }
  }

  /// A sensor; nil where the map does not have it.
  func section(_ name: String) throws(DatasetError) -> Section? {
    try file.section(name).map { Section(name: name, file: $0) }
  }
}

import Foundation

/// The JSON files of `tools/benchmark`.
package enum BenchmarkFile {
  /// Reads a file; an error names the file and the fault.
  static func read<Value: Decodable>(_ type: Value.Type, from path: String) throws -> Value {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CommandError("\(path): cannot be read, expected a JSON file of tools/benchmark")
    }
    do { return try JSONDecoder().decode(type, from: data) } catch {
      throw CommandError("\(path): not a JSON file of this version of tools/benchmark: \(error)")
    }
  }

  /// JSON with its keys in order and a line break at the end.
  package static func json(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value) + Data("\n".utf8)
  }
}

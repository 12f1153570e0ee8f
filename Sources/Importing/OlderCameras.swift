import Datasets
import Foundation

/// Cameras of the folder that an import is about to replace.
///
/// An import writes no images, and leaves those that are there: a camera made of the same source's video stays when the
/// source is imported again, and one that lies alone in a folder belongs to what is imported beside it. Of another
/// recording they must not stay, and are not removed either: that is for their owner to say.
struct OlderCameras {
  private let names: [String]
  private let isOfSameSource: Bool

  /// - Parameters:
  ///   - folder: the folder as it is.
  ///   - source: the name of what is imported.
  /// - Throws: `DatasetError` where there are cameras beside data of another source.
  init(in folder: String, kind: ImportKind, source: String) throws {
    let inside = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/mav0")) ?? []
    names = inside.filter { $0.hasPrefix("cam") && Int($0.dropFirst(3)) != nil }.sorted()
    var document = try Importer.written(in: folder)
    // A calibration that was imported beside the data keeps what was told of those.
    while let before = document?["before"], before != .null { document = before }
    isOfSameSource = document?["kind"]?.text == kind.rawValue && document?["source"]?.text == source
    let tables = inside.filter { RegularFile.exists("\(folder)/mav0/\($0)/data.csv") && !names.contains($0) }
    guard !names.isEmpty, !isOfSameSource, !tables.isEmpty else { return }
    let origin = document?["source"]?.text.map { " of \($0)" } ?? ""
    throw DatasetError(
      file: folder,
      found: "a recording\(origin) with \(names.joined(separator: ", ")), which an import leaves as it is",
      expected: "a new folder, or one without mav0/\(names[0])")
  }

  /// Says that they stay.
  func decide(_ report: inout ImportReport) {
    guard !names.isEmpty else { return }
    let what = names.joined(separator: ", ")
    report.decide(
      isOfSameSource
        ? "\(what): of an earlier import of the same source, stays" : "\(what): was in the folder already, stays")
  }
}

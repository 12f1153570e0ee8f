import Foundation
import Images

/// An image that is read on another thread, or on demand.
final class PendingImage: @unchecked Sendable {
  private let file: ImageFile
  private let group: DispatchGroup?
  // Written once before the group is left, read only after it.
  private var result: Result<GrayImage, ImageFile.Fault>?

  /// - Parameter queue: where it is read from now on; nil: in `value()`.
  init(_ file: ImageFile, on queue: DispatchQueue?) {
    self.file = file
    guard let queue else {
      group = nil
      return
    }
    let group = DispatchGroup()
    self.group = group
    queue.async(group: group) { [self] in result = Self.load(file) }
  }

  /// The image; waits for it.
  func value() throws(ImageFile.Fault) -> GrayImage {
    group?.wait()
    if result == nil { result = Self.load(file) }
    return try result!.get()
  }

  private static func load(_ file: ImageFile) -> Result<GrayImage, ImageFile.Fault> {
    do { return .success(try file.load()) } catch { return .failure(error) }
  }
}

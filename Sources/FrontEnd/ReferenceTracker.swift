internal import CVision
import Images

/// The baseline of benchmarks: OpenCV's Lucas-Kanade and goodFeaturesToTrack with their defaults, nothing else.
package struct ReferenceTracker {
  private let features: Int
  private let distance: Double
  private var last: GrayImage?
  private var tracks: [(id: Int64, position: SIMD2<Float>)] = []
  private var nextID: Int64 = 1

  /// - Parameters:
  ///   - features: tracks per frame; lost ones are replaced in the same frame.
  ///   - distance: least distance of new corners to all tracks, pixels.
  package init(features: Int, distance: Double) {
    self.features = features
    self.distance = distance
  }

  /// Processes the next frame; returns its tracks, sorted by id.
  package mutating func process(_ image: GrayImage) -> [(id: Int64, position: SIMD2<Float>)] {
    let (width, height) = (Int32(image.width), Int32(image.height))
    if let last, !tracks.isEmpty {
      let positions = tracks.map(\.position)
      var found = positions
      var status = [UInt8](repeating: 0, count: positions.count)
      _ = positions.withUnsafeBytes { from in
        found.withUnsafeMutableBytes { to in
          fuse_vision_reference_track(
            last.pixels, image.pixels, width, height, from.baseAddress!.assumingMemoryBound(to: Float.self),
            to.baseAddress!.assumingMemoryBound(to: Float.self), &status, Int32(positions.count))
        }
      }
      let limit = SIMD2(Float(image.width - 1), Float(image.height - 1))
      tracks = tracks.indices.filter {
        status[$0] != 0 && all(found[$0] .>= 0) && all(found[$0] .<= limit)
      }.map { (tracks[$0].id, found[$0]) }
    }
    if tracks.count < features {
      let taken = tracks.map(\.position)
      var fresh = [SIMD2<Float>](repeating: .zero, count: features - tracks.count)
      var count: Int32 = 0
      _ = taken.withUnsafeBytes { taken in
        fresh.withUnsafeMutableBytes { fresh in
          fuse_vision_reference_corners(
            image.pixels, width, height, taken.baseAddress?.assumingMemoryBound(to: Float.self),
            Int32(tracks.count), distance, Int32(features - tracks.count),
            fresh.baseAddress!.assumingMemoryBound(to: Float.self), &count)
        }
      }
      for position in fresh.prefix(Int(count)) {
        tracks.append((nextID, position))
        nextID += 1
      }
    }
    last = image
    return tracks
  }
}

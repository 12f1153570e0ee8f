import Geometry
import Images
import SensorData
import Vision

/// Follows corners of one camera from frame to frame under stable ids, and begins new ones where the image has none.
///
/// A frame: guess where each place went (the gyroscope's turn through the lens), find it (pyramidal Lucas-Kanade), come back
/// the same way, ask whether it moved as a still point does, keep the older of two that met, then fill empty cells of a grid
/// with the strongest corners there. Same images and turns, same tracks.
final class FeatureTracker {
  /// A place that is followed.
  struct Track {
    /// Its identity.
    var id: Int64
    /// Where it is in the newest frame, raw pixels.
    var place: SIMD2<Float>
    /// Frames that saw it.
    var length: Int
  }

  /// The living tracks, sorted by id.
  private(set) var tracks: [Track] = []
  /// The newest frame; nil before the first one and after a break.
  private(set) var image: PyramidImage?
  private let configuration: TrackingConfiguration
  private let lens: LensModel
  private let grid: CornerGrid
  private let consensus: TurnConsensus
  private var nextID: Int64 = 1

  /// A tracker for images of the camera's size.
  ///
  /// - Parameter mask: white where corners are wanted; nil: everywhere.
  init(_ camera: CameraCalibration, mask: GrayImage?, configuration: TrackingConfiguration) {
    self.configuration = configuration
    lens = LensModel(camera)
    grid = CornerGrid(
      width: camera.width, height: camera.height, mask: mask, features: configuration.features,
      spacing: configuration.spacing * Double(camera.width) / 640, weakest: configuration.weakestCorner)
    consensus = TurnConsensus(tolerance: configuration.epipolarDistance / lens.focalLength)
  }

  /// Takes the next frame; `tracks` are then what it shows.
  ///
  /// - Parameters:
  ///   - turn: the camera now from the camera at the frame before; nil where nobody knows.
  ///   - isRefilled: whether new corners are begun with.
  func process(_ next: PyramidImage, turn: Rotation?, isRefilled: Bool) {
    if let image, !tracks.isEmpty { follow(from: image, to: next, turn: turn) }
    image = next
    tracks = grid.thinned(tracks)
    guard isRefilled else { return }
    for place in grid.fresh(in: next, beside: tracks.map(\.place)) {
      tracks.append(Track(id: nextID, place: place, length: 1))
      nextID += 1
    }
  }

  /// Forgets all tracks: what comes next has nothing to do with what was.
  func reset() {
    tracks = []
    image = nil
  }

  /// Takes the frame before in another making, for a change of contrast.
  func replace(_ image: PyramidImage) { self.image = image }

  private func follow(from image: PyramidImage, to next: PyramidImage, turn: Rotation?) {
    let places = tracks.map(\.place)
    let before = turn.map { turn in places.map { lens.direction(of: $0).map { turn * $0 } } }
    let guesses = zip(places, before ?? places.map { _ in nil }).map { place, direction in
      direction.flatMap { lens.project($0)?.pixel }.map(SIMD2<Float>.init) ?? place
    }
    // A known turn leaves little to search for.
    let levels = turn == nil ? configuration.levels : min(2, configuration.levels)
    let found = image.follow(places, to: next, guesses: guesses, levels: levels)
    let back = next.follow(zip(found, places).map { $0 ?? $1 }, to: image, guesses: places, levels: min(1, levels))
    var kept: [(index: Int, place: SIMD2<Float>)] = []
    for index in places.indices {
      guard let place = found[index], let origin = back[index], grid.isInside(place) else { continue }
      let distance = origin - places[index]
      if (distance * distance).sum() <= configuration.returnDistance * configuration.returnDistance {
        kept.append((index, place))
      }
    }
    if let before { kept = still(kept, before) }
    tracks = kept.map { Track(id: tracks[$0.index].id, place: $0.place, length: tracks[$0.index].length + 1) }
  }

  /// Those that moved as still points do; what the lens cannot see is not judged.
  private func still(
    _ kept: [(index: Int, place: SIMD2<Float>)], _ before: [Vector3?]
  ) -> [(index: Int, place: SIMD2<Float>)] {
    let after = kept.map { lens.direction(of: $0.place) }
    let judged = kept.indices.filter { before[kept[$0].index] != nil && after[$0] != nil }
    let verdict = consensus.stoodStill(judged.map { before[kept[$0].index]! }, judged.map { after[$0]! })
    let moved = Set(zip(judged, verdict).filter { !$1 }.map(\.0))
    return kept.indices.filter { !moved.contains($0) }.map { kept[$0] }
  }
}

extension LensModel {
  /// The unit direction that a place sees; nil when no direction lands there.
  func direction(of place: SIMD2<Float>) -> Vector3? { direction(ofPixel: SIMD2<Double>(place)) }
}

import Geometry
import Images
import SensorData
import CameraGeometry

/// Follows corners of one camera from frame to frame under stable ids, and begins new ones where the image has none. A point that
/// comes back into sight has its old id.
///
/// A frame: where each patch should lie (the gyroscope's turn through the lens, and the last step beyond it), whether it is there,
/// a search for those that are not, whether all moved as still points do, which of those that had left are
/// back, the older one of two that met; then empty cells of a grid
/// get the strongest corners in them. Same images and turns, same tracks.
final class FeatureTracker {
  /// A place that is followed.
  struct Track {
    /// Its identity.
    var id: Int64
    /// How its patch lies in the newest frame.
    var warp: PatchWarp
    /// Its patch.
    var slot: Int32
    /// Frames that saw it.
    var length: Int
    /// How far the last step led beyond what the turn explains, pixels: the way of the camera.
    var drift: SIMD2<Float>
    /// Frames since its patch was recognised.
    var unseen = 0
    /// Frames in a row in which it moved otherwise than still points do.
    var strange = 0

    /// Where it is in the newest frame, raw pixels.
    var place: SIMD2<Float> { warp.place }
  }

  /// The living tracks, sorted by id.
  var tracks: [Track] = []
  /// How many of them began in it.
  private(set) var begun = 0
  /// How many tracks ended so far, by reason; those that are out of sight have left the image, until they are back.
  var ends: [TrackEnd: Int] { finalEnds.merging(departed.count > 0 ? [.leftImage: departed.count] : [:]) { $0 + $1 } }
  private var finalEnds: [TrackEnd: Int] = [:]
  /// How often tracks came back so far.
  var returned = 0
  /// Share of the grid's cells that have a track.
  var coverage: Double { grid.coverage(tracks.map(\.place)) }
  /// The newest frame; nil before the first one and after a break.
  private(set) var image: PyramidImage?
  let configuration: TrackingConfiguration
  let lens: LensModel
  let grid: CornerGrid
  let consensus: RotationConsensus
  /// The tracks that are out of sight.
  var departed = DepartedTracks()
  /// The patches of both.
  var patches = PatchStore()
  private var nextID: Int64 = 1

  /// A turn is not expected to go on for more than this, radians.
  private static let longestTurn = 1.0

  /// A tracker for images of the camera's size.
  ///
  /// - Parameter mask: white where corners are wanted; nil: everywhere.
  init(_ camera: CameraCalibration, mask: GrayImage?, configuration: TrackingConfiguration) {
    self.configuration = configuration
    lens = LensModel(camera)
    grid = CornerGrid(
      width: camera.width, height: camera.height, mask: mask, features: configuration.features,
      spacing: configuration.spacing * Double(camera.width) / 640,
      weakest: [configuration.weakestCorner, configuration.weakestWhereScarce],
      horizons: configuration.horizons)
    consensus = RotationConsensus(tolerance: configuration.epipolarDistance / lens.focalLength)
  }

  /// Takes the next frame; `tracks` are then what it shows.
  ///
  /// - Parameters:
  ///   - turn: the camera now from the camera at the frame before; nil where nobody knows.
  ///   - isRefilled: whether new corners are begun with.
  ///   - noise: of a pixel, 1-sigma, grey levels.
  ///   - area: where anything was ever seen.
  func process(_ next: PyramidImage, turn: Rotation?, isRefilled: Bool, noise: Float, area: LitArea) {
    if let image, !tracks.isEmpty {
      follow(from: image, to: next, turn: turn, area: area)
    } else {
      carryDeparted(by: turn)
    }
    image = next
    begun = 0
    if isRefilled { welcomeBack(in: next) }
    thin()
    guard isRefilled else { return }
    let old = tracks.filter { $0.length > 2 }
    let fresh = grid.fresh(in: next, beside: tracks.map(\.place), noise: noise) { place in
      guard area.contains(place) else { return 0 }
      let drift = Self.drift(of: old, near: place)
      return configuration.horizons.first { frames in
        whereabouts(of: place, drift: drift, turn: turn, in: frames).map { grid.isInside($0) && area.contains($0) }
          ?? false
      } ?? 0
    }
    for (place, slot) in zip(fresh, patches.take(fresh, in: next)) {
      guard let slot else { continue }
      let drift = Self.drift(of: old, near: place)
      tracks.append(Track(id: nextID, warp: PatchWarp(at: place), slot: slot, length: 1, drift: drift))
      nextID += 1
      begun += 1
    }
  }

  /// How the track nearest to a place drifts; zero without any.
  static func drift(of tracks: [Track], near place: SIMD2<Float>) -> SIMD2<Float> {
    func distance(_ track: Track) -> Float { ((track.place - place) * (track.place - place)).sum() }
    return tracks.min { distance($0) < distance($1) }?.drift ?? .zero
  }

  /// Where a place will be after some frames, if all goes on as it does; nil where the lens does not say.
  private func whereabouts(
    of place: SIMD2<Float>, drift: SIMD2<Float>, turn: Rotation?, in frames: Int
  ) -> SIMD2<Float>? {
    let way = Float(frames) * drift
    guard let turn, let direction = lens.direction(of: place) else { return place + way }
    let step = turn.log
    let steps = min(Double(frames), Self.longestTurn / max(step.norm, 1e-9))
    return lens.project(Rotation.exp(steps * step) * direction).map { SIMD2<Float>($0.pixel) + way }
  }

  /// Gives up the younger of two tracks that met.
  private func thin() {
    let kept = grid.thinned(tracks)
    guard kept.count < tracks.count else { return }
    let alive = Set(kept.map(\.id))
    for track in tracks where !alive.contains(track.id) { end(track, .metOlder) }
    tracks = kept
  }

  /// Gives a track's patch back and counts why.
  func end(_ track: Track, _ reason: TrackEnd) {
    patches.release(track.slot)
    finalEnds[reason, default: 0] += 1
  }

  /// Forgets all tracks: what comes next has nothing to do with what was.
  func reset() {
    tracks = []
    carryDeparted(by: nil)
    patches.removeAll()
    image = nil
  }

  /// Takes the frame before in another making, for a change of contrast.
  func replace(_ image: PyramidImage) { self.image = image }
}

import CameraGeometry
import Geometry
import Images
import SensorData

/// Tracks corners of one camera from frame to frame under stable ids, and starts new ones where the image has none. A
/// point that returns into view keeps its id.
///
/// Per frame: predict each patch (the gyroscope's rotation through the lens, plus the last residual step) and compare
/// it; search for those not found; reject those that move unlike static points; recover departed ones; drop the younger
/// of two that met. Then empty cells of a grid get their strongest corners. Deterministic in images and rotations.
final class FeatureTracker {
  /// One tracked feature.
  struct Track {
    /// Its identity.
    var id: Int64
    /// Pose of its patch in the newest frame.
    var warp: PatchWarp
    /// Slot of its patch.
    var slot: Int32
    /// Frames that contain it.
    var length: Int
    /// Last displacement beyond the rotation, pixels: due to the camera's translation.
    var drift: SIMD2<Float>
    /// Frames since its patch was recognised.
    var unseen = 0
    /// Consecutive frames in which it moved unlike a static point.
    var outlierCount = 0

    /// Position in the newest frame, raw pixels.
    var position: SIMD2<Float> { warp.position }
  }

  /// The living tracks, sorted by id.
  var tracks: [Track] = []
  /// How many of them began in the newest frame.
  private(set) var begun = 0
  /// Tracks that ended so far, by reason; departed ones count as `leftImage` until they return.
  var ends: [TrackEnd: Int] { finalEnds.merging(departed.count > 0 ? [.leftImage: departed.count] : [:]) { $0 + $1 } }
  private var finalEnds: [TrackEnd: Int] = [:]
  /// Departed tracks recovered so far.
  var returned = 0
  /// Fraction of the grid's cells that have a track.
  var coverage: Double { grid.coverage(tracks.map(\.position)) }
  /// The newest frame; nil before the first one and after a reset.
  private(set) var image: PyramidImage?
  let configuration: TrackingConfiguration
  let lens: LensModel
  let grid: CornerGrid
  let consensus: RotationConsensus
  /// The departed tracks.
  var departed = DepartedTracks()
  /// The patches of living and departed tracks.
  var patches = PatchStore()
  private var nextID: Int64 = 1

  /// Largest rotation extrapolated, radians.
  private static let largestRotation = 1.0

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

  /// Processes the next frame; `tracks` are then those in it.
  ///
  /// - Parameters:
  ///   - rotation: the camera now from the camera at the previous frame; nil if unknown.
  ///   - isRefilled: whether new corners are started.
  ///   - noise: of a pixel, 1-sigma, grey levels.
  ///   - area: where the camera ever received light.
  func process(_ next: PyramidImage, rotation: Rotation?, isRefilled: Bool, noise: Float, area: LitArea) {
    if let image, !tracks.isEmpty {
      track(from: image, to: next, rotation: rotation, area: area)
    } else {
      rotateDeparted(by: rotation)
    }
    image = next
    begun = 0
    if isRefilled { recoverDeparted(in: next) }
    thin()
    guard isRefilled else { return }
    let old = tracks.filter { $0.length > 2 }
    let fresh = grid.fresh(in: next, beside: tracks.map(\.position), noise: noise) { position in
      guard area.contains(position) else { return 0 }
      let drift = Self.drift(of: old, near: position)
      return configuration.horizons.first { frames in
        predictedPosition(of: position, drift: drift, rotation: rotation, in: frames)
          .map { grid.isInside($0) && area.contains($0) }
          ?? false
      } ?? 0
    }
    for (position, slot) in zip(fresh, patches.sample(fresh, in: next)) {
      guard let slot else { continue }
      let drift = Self.drift(of: old, near: position)
      tracks.append(Track(id: nextID, warp: PatchWarp(at: position), slot: slot, length: 1, drift: drift))
      nextID += 1
      begun += 1
    }
  }

  /// Drift of the track nearest to a position; zero without any.
  static func drift(of tracks: [Track], near position: SIMD2<Float>) -> SIMD2<Float> {
    func distance(_ track: Track) -> Float { ((track.position - position) * (track.position - position)).sum() }
    return tracks.min { distance($0) < distance($1) }?.drift ?? .zero
  }

  /// Position after some frames at constant rotation rate and drift; nil where the lens cannot project it.
  private func predictedPosition(
    of position: SIMD2<Float>, drift: SIMD2<Float>, rotation: Rotation?, in frames: Int
  ) -> SIMD2<Float>? {
    let translation = Float(frames) * drift
    guard let rotation, let direction = lens.direction(of: position) else { return position + translation }
    let step = rotation.log
    let steps = min(Double(frames), Self.largestRotation / max(step.norm, 1e-9))
    return lens.project(Rotation.exp(steps * step) * direction).map { SIMD2<Float>($0.pixel) + translation }
  }

  /// Ends the younger of two tracks that met.
  private func thin() {
    let kept = grid.thinned(tracks)
    guard kept.count < tracks.count else { return }
    let alive = Set(kept.map(\.id))
    for track in tracks where !alive.contains(track.id) { end(track, .metOlder) }
    tracks = kept
  }

  /// Releases a track's patch and counts the reason.
  func end(_ track: Track, _ reason: TrackEnd) {
    patches.release(track.slot)
    finalEnds[reason, default: 0] += 1
  }

  /// Removes all tracks after a gap in the images.
  func reset() {
    tracks = []
    rotateDeparted(by: nil)
    patches.removeAll()
    image = nil
  }

  /// Replaces the previous frame by one with another contrast.
  func replace(_ image: PyramidImage) { self.image = image }
}

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
    /// How its patch lies in the newest frame.
    var warp: PatchWarp
    /// Its patch; nil near the edge of the image.
    var slot: Int32?
    /// Frames that saw it.
    var length: Int

    /// Where it is in the newest frame, raw pixels.
    var place: SIMD2<Float> { warp.place }
  }

  /// The living tracks, sorted by id.
  private(set) var tracks: [Track] = []
  /// How many of them began in it.
  private(set) var begun = 0
  /// Share of the grid's cells that have a track.
  var coverage: Double { grid.coverage(tracks.map(\.place)) }
  /// The newest frame; nil before the first one and after a break.
  private(set) var image: PyramidImage?
  private let configuration: TrackingConfiguration
  private let lens: LensModel
  private let grid: CornerGrid
  private let consensus: TurnConsensus
  /// Their patches.
  private(set) var patches = PatchStore()
  private var nextID: Int64 = 1

  /// A tracker for images of the camera's size.
  ///
  /// - Parameter mask: white where corners are wanted; nil: everywhere.
  init(_ camera: CameraCalibration, mask: GrayImage?, configuration: TrackingConfiguration) {
    self.configuration = configuration
    lens = LensModel(camera)
    grid = CornerGrid(
      width: camera.width, height: camera.height, mask: mask, features: configuration.features,
      spacing: configuration.spacing * Double(camera.width) / 640,
      weakest: [configuration.weakestCorner, configuration.weakestWhereScarce])
    consensus = TurnConsensus(tolerance: configuration.epipolarDistance / lens.focalLength)
  }

  /// Takes the next frame; `tracks` are then what it shows.
  ///
  /// - Parameters:
  ///   - turn: the camera now from the camera at the frame before; nil where nobody knows.
  ///   - isRefilled: whether new corners are begun with.
  ///   - noise: of a pixel, 1-sigma, grey levels.
  ///   - isLit: whether anything was ever to be seen at a place.
  func process(_ next: PyramidImage, turn: Rotation?, isRefilled: Bool, noise: Float, isLit: (SIMD2<Float>) -> Bool) {
    if let image, !tracks.isEmpty { follow(from: image, to: next, turn: turn) }
    image = next
    begun = 0
    thin()
    guard isRefilled else { return }
    let fresh = grid.fresh(in: next, beside: tracks.map(\.place), noise: noise) {
      isLit($0) && staysIn($0, turn: turn)
    }
    for (place, slot) in zip(fresh, patches.take(fresh, in: next)) {
      tracks.append(Track(id: nextID, warp: PatchWarp(at: place), slot: slot, length: 1))
      nextID += 1
    }
    begun = fresh.count
  }

  /// Whether a place will still be in the image in four frames, if the camera turns on as it does.
  private func staysIn(_ place: SIMD2<Float>, turn: Rotation?) -> Bool {
    guard let turn, let direction = lens.direction(of: place) else { return true }
    let twice = turn * turn
    return lens.project(twice * twice * direction).map { grid.isInside(SIMD2<Float>($0.pixel)) } ?? false
  }

  /// Gives up the younger of two tracks that met.
  private func thin() {
    let kept = grid.thinned(tracks)
    guard kept.count < tracks.count else { return }
    let alive = Set(kept.map(\.id))
    for track in tracks where !alive.contains(track.id) { if let slot = track.slot { patches.release(slot) } }
    tracks = kept
  }

  /// Forgets all tracks: what comes next has nothing to do with what was.
  func reset() {
    tracks = []
    patches.removeAll()
    image = nil
  }

  /// Takes the frame before in another making, for a change of contrast.
  func replace(_ image: PyramidImage) { self.image = image }

  private func follow(from image: PyramidImage, to next: PyramidImage, turn: Rotation?) {
    let before = turn.map { turn in tracks.map { lens.direction(of: $0.place).map { turn * $0 } } }
    let guesses = tracks.indices.map { index in
      before?[index].flatMap { lens.project($0)?.pixel }.map(SIMD2<Float>.init) ?? tracks[index].place
    }
    // A known turn leaves little to search for.
    let levels = turn == nil ? configuration.levels : min(2, configuration.levels)
    let found = image.follow(tracks.map(\.place), to: next, guesses: guesses, levels: levels)
    var state = found.map { place in place.map(grid.isInside) ?? false ? Verdict.seen : .lost }
    let old = tracks
    for index in tracks.indices where state[index] == .seen {
      tracks[index].warp.place = found[index]!
      tracks[index].length += 1
    }
    compare(with: next, &state)
    returnHome(from: next, to: image, old, &state)
    if let before { askConsensus(before, &state) }
    renew(in: next, state)
    for index in tracks.indices where state[index] == .lost {
      if let slot = tracks[index].slot { patches.release(slot) }
    }
    tracks = tracks.indices.filter { state[$0] != .lost }.map { tracks[$0] }
  }

  /// What is known of a track in the newest frame.
  private enum Verdict {
    /// It is gone.
    case lost
    /// Something was found.
    case seen
    /// It goes on, and needs a patch of how it looks now.
    case changed
    /// It looks as it did in the beginning.
    case verified
  }

  /// Puts tracks where their first patches lie now, so that small errors do not add up from frame to frame.
  private func compare(with next: PyramidImage, _ state: inout [Verdict]) {
    let known = tracks.indices.filter { state[$0] == .seen && tracks[$0].slot != nil }
    let (warps, correlations) = patches.align(
      known.map { tracks[$0].slot! }, in: next, guesses: known.map { tracks[$0].warp })
    for (k, index) in known.enumerated() where correlations[k] >= configuration.leastCorrelation {
      let offset = warps[k].place - tracks[index].place
      guard (offset * offset).sum() <= configuration.largestCorrection * configuration.largestCorrection,
        grid.isInside(warps[k].place)
      else { continue }
      tracks[index].warp = warps[k]
      state[index] = warps[k].isComparable ? .verified : .changed
    }
  }

  /// Where no patch tells: what was found must lead back to where it came from.
  private func returnHome(from next: PyramidImage, to image: PyramidImage, _ old: [Track], _ state: inout [Verdict]) {
    let doubtful = tracks.indices.filter { state[$0] == .seen }
    let homes = doubtful.map { old[$0].place }
    let back = next.follow(doubtful.map { tracks[$0].place }, to: image, guesses: homes, levels: 1)
    for (k, index) in doubtful.enumerated() {
      let offset = back[k].map { $0 - homes[k] }
      let isHome =
        offset.map { ($0 * $0).sum() <= configuration.returnDistance * configuration.returnDistance } ?? false
      state[index] = isHome ? .changed : .lost
    }
  }

  /// What moved otherwise than still points do is given up; what the lens cannot see is not judged.
  private func askConsensus(_ before: [Vector3?], _ state: inout [Verdict]) {
    let judged = tracks.indices.compactMap { index -> (index: Int, before: Vector3, after: Vector3)? in
      guard state[index] != .lost, let before = before[index], let after = lens.direction(of: tracks[index].place)
      else {
        return nil
      }
      return (index, before, after)
    }
    let verdict = consensus.stoodStill(judged.map(\.before), judged.map(\.after))
    for (sight, isStill) in zip(judged, verdict) where !isStill { state[sight.index] = .lost }
  }

  /// Tracks whose patch was not found, or has changed too much to be compared, go on with a new one.
  private func renew(in next: PyramidImage, _ state: [Verdict]) {
    let changed = tracks.indices.filter { state[$0] == .changed }
    for index in changed { if let slot = tracks[index].slot { patches.release(slot) } }
    for (index, slot) in zip(changed, patches.take(changed.map { tracks[$0].place }, in: next)) {
      tracks[index].slot = slot
      tracks[index].warp = PatchWarp(at: tracks[index].place)
    }
  }
}

extension LensModel {
  /// The unit direction that a place sees; nil when no direction lands there.
  func direction(of place: SIMD2<Float>) -> Vector3? { direction(ofPixel: SIMD2<Double>(place)) }
}

import CameraGeometry
import Geometry

/// Tracks whose points left the image and may return when the camera rotates back.
///
/// The predicted position is the last one, rotated by all rotations since: the gyroscope's and the correction from the
/// living tracks (`RotationConsensus.rotation`). Translation is included only as far as it resembles a rotation. That
/// suffices if the camera returns along its path; otherwise the track is not found and new ones begin.
struct DepartedTracks {
  private struct Departed {
    /// The track in the last frame that contained it.
    let track: FeatureTracker.Track
    /// Its unit direction in that frame.
    let direction: Vector3
    /// Rotation: the camera now from the camera then.
    var rotation = Rotation.identity
    /// Frames since, and those of them that did not find it at its predicted position.
    var absence = 0, misses = 0
  }

  /// In order of departure.
  private var departed: [Departed] = []

  /// Their number.
  var count: Int { departed.count }

  /// Adds a track as of its last frame; false where the lens has no direction for it.
  mutating func add(_ track: FeatureTracker.Track, _ lens: LensModel) -> Bool {
    guard let direction = lens.direction(of: track.position) else { return false }
    departed.append(Departed(track: track, direction: direction))
    return true
  }

  /// Applies the rotation between two frames.
  mutating func rotate(by rotation: Rotation) {
    for index in departed.indices {
      departed[index].rotation = rotation * departed[index].rotation
      departed[index].absence += 1
    }
  }

  /// The tracks predicted to be in view, at their predicted positions in the newest frame; ids are unchanged.
  func expected(_ lens: LensModel, isInside: (SIMD2<Float>) -> Bool) -> [FeatureTracker.Track] {
    departed.compactMap { one in
      guard let pixel = lens.project(one.rotation * one.direction)?.pixel, isInside(SIMD2<Float>(pixel)),
        let warp = lens.rotated(one.track.warp, by: one.rotation)
      else { return nil }
      var track = one.track
      track.warp = warp
      return track
    }
  }

  /// Removes those that were found, and drops those missed too often or absent too long; returns the latter.
  mutating func settle(
    found: Set<Int64>, missed: Set<Int64>, mostMisses: Int, longestAbsence: Int
  ) -> [FeatureTracker.Track] {
    var kept: [Departed] = [], over: [FeatureTracker.Track] = []
    for var one in departed where !found.contains(one.track.id) {
      if missed.contains(one.track.id) { one.misses += 1 }
      if one.misses > mostMisses || one.absence > longestAbsence { over.append(one.track) } else { kept.append(one) }
    }
    departed = kept
    return over
  }

  /// Removes all; returns them.
  mutating func removeAll() -> [FeatureTracker.Track] {
    defer { departed = [] }
    return departed.map(\.track)
  }
}

import Geometry
import CameraGeometry

/// Tracks whose points went over the edge of the image: a hand that turns to and fro will see them again.
///
/// Each should lie where it was last, turned by all turns since: those of the gyroscope, and what the living tracks turned beyond them
/// (`RotationConsensus.turn`). The way of the camera is in it only as far as it looks like a turn, which is enough
/// where a hand comes back the way it went; who comes back another way does not find them, and new tracks begin as ever.
struct DepartedTracks {
  private struct Departed {
    /// As it was in the last frame that saw it.
    let track: FeatureTracker.Track
    /// Where it was then, a unit direction.
    let direction: Vector3
    /// The camera now from the camera then.
    var turn = Rotation.identity
    /// Frames since, and those of them that did not find it where it should be.
    var absence = 0, misses = 0
  }

  /// In the order in which they went.
  private var departed: [Departed] = []

  /// How many there are.
  var count: Int { departed.count }

  /// Takes a track in, as the last frame that saw it had it; false where the lens does not know its direction.
  mutating func add(_ track: FeatureTracker.Track, _ lens: LensModel) -> Bool {
    guard let direction = lens.direction(of: track.place) else { return false }
    departed.append(Departed(track: track, direction: direction))
    return true
  }

  /// Takes the turn from one frame to the next in.
  mutating func turn(by turn: Rotation) {
    for index in departed.indices {
      departed[index].turn = turn * departed[index].turn
      departed[index].absence += 1
    }
  }

  /// The tracks that should be in sight, as they should lie in the newest frame; their ids stay as they were.
  func expected(_ lens: LensModel, isInside: (SIMD2<Float>) -> Bool) -> [FeatureTracker.Track] {
    departed.compactMap { one in
      guard let pixel = lens.project(one.turn * one.direction)?.pixel, isInside(SIMD2<Float>(pixel)),
        let warp = lens.turned(one.track.warp, by: one.turn)
      else { return nil }
      var track = one.track
      track.warp = warp
      return track
    }
  }

  /// Lets those go that were found, and gives those up that were missed too often or have been away for too long; returns the latter.
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

  /// Gives all up; returns them.
  mutating func removeAll() -> [FeatureTracker.Track] {
    defer { departed = [] }
    return departed.map(\.track)
  }
}

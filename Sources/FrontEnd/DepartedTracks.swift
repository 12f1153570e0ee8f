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

/// Inliers of a camera motion between two frames with known rotation.
///
/// With the rotation R removed, a static point moves along the great circle through its old direction b and the
/// camera's translation direction o: `o . (b x a) = 0` for its new direction a. Two points determine o; of the pairs
/// tried, the one with most inliers wins.
/// Source: Troiani et al., "2-point-based outlier rejection for camera-IMU systems", ICRA 2014,
/// doi:10.1109/ICRA.2014.6907483.
/// The sign of o is not tested: the parallax of one frame is too small to distinguish it from noise.
package struct RotationConsensus {
  /// Largest angle of a static point from its great circle, radians.
  let tolerance: Double

  /// - Parameter tolerance: radians.
  package init(tolerance: Double) { self.tolerance = tolerance }

  private static let pairs = 60
  /// Fewest points, and least fraction of inliers, of a majority.
  private static let fewest = 12, leastFraction = 0.5

  /// Approximate least mean squared sine of the directions about their mean; below it the rotation about the mean is
  /// unobservable.
  private static let leastSpread = 1e-4

  /// For each point whether it is an inlier; all where no majority is found.
  ///
  /// - Parameters:
  ///   - before: old unit directions, rotated into the camera's axes now.
  ///   - after: unit directions now.
  package func inliers(_ before: [Vector3], _ after: [Vector3]) -> [Bool] {
    let count = before.count
    let all = [Bool](repeating: true, count: count)
    guard count >= Self.fewest else { return all }
    let normals = zip(before, after).map { $0.cross($1) }
    var best: Vector3?, most = 0
    for k in 0..<Self.pairs {
      let i = (k * 7) % count
      let j = (i + 1 + (k * 11 + k / count) % (count - 1)) % count
      let cross = normals[i].cross(normals[j])
      guard cross.norm > 0 else { continue }
      let direction = cross.normalized
      let agreeing = before.indices.count { isInlier(normals[$0], before[$0], direction) }
      if agreeing > most { (best, most) = (direction, agreeing) }
    }
    guard let best, Double(most) >= max(Double(Self.fewest), Self.leastFraction * Double(count)) else { return all }
    return before.indices.map { isInlier(normals[$0], before[$0], best) }
  }

  /// The small rotation r that best carries directions to others; identity with too few, or with all in one line.
  ///
  /// Least squares of `r x before = after - before`: `sum (1 - b b^T) r = sum b x a`, to first order in r.
  ///
  /// - Parameters:
  ///   - before: unit directions.
  ///   - after: unit directions.
  package static func rotation(from before: [Vector3], to after: [Vector3]) -> Rotation {
    guard before.count >= fewest else { return .identity }
    var information = Matrix3(diagonal: .zero), sum = Vector3.zero
    for (b, a) in zip(before, after) {
      information += Matrix3(diagonal: Vector3(1, 1, 1)) + -1 * Matrix3(outer: b, b)
      sum += b.cross(a)
    }
    let count = Double(before.count)
    guard information.determinant > leastSpread * count * count * count, let inverse = information.inverse else {
      return .identity
    }
    let rotation = inverse * sum
    return rotation.isFinite ? .exp(rotation) : .identity
  }

  /// Near the translation direction the great circle is short, so every point lies on it; the tolerance widens at most
  /// tenfold there.
  private func isInlier(_ normal: Vector3, _ before: Vector3, _ direction: Vector3) -> Bool {
    abs(direction.dot(normal)) <= tolerance * max(direction.cross(before).norm, 0.1)
  }
}

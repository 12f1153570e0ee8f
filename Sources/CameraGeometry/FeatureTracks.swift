import Geometry
import SensorData

/// A point that is being followed from frame to frame.
package struct FeatureTrack: Equatable, Sendable {
  /// One sight of it from a pose that the filter keeps.
  package struct Sight: Equatable, Sendable {
    /// Which kept pose.
    package var poseID: Int
    /// Raw pixels.
    package var pixel: SIMD2<Double>
    /// Unit direction, camera axes.
    package var direction: Vector3
    /// Which camera saw it: 0 the one whose pose is kept, 1 a second one beside it.
    package var camera = 0

    /// A sight from its parts.
    package init(poseID: Int, pixel: SIMD2<Double>, direction: Vector3, camera: Int = 0) {
      self.poseID = poseID
      self.pixel = pixel
      self.direction = direction
      self.camera = camera
    }
  }

  /// The track's identity.
  package var featureID: Int64
  /// The sights from kept poses, oldest first.
  package var sights: [Sight]
  /// How many of them, the oldest ones, have been used.
  package var usedCount = 0

  /// A track from its parts.
  package init(featureID: Int64, sights: [Sight], usedCount: Int = 0) {
    self.featureID = featureID
    self.sights = sights
    self.usedCount = usedCount
  }

  /// The sights not yet used.
  package var unused: ArraySlice<Sight> { sights[usedCount...] }

  /// Uses up what is unused; returns it as a track of its own.
  mutating func removeUnused() -> FeatureTrack {
    defer { usedCount = sights.count }
    return FeatureTrack(featureID: featureID, sights: Array(unused))
  }

  mutating func forget(poseID: Int) {
    while let index = sights.firstIndex(where: { $0.poseID == poseID }) {
      sights.remove(at: index)
      if index < usedCount { usedCount -= 1 }
    }
  }
}

/// The tracks that are alive, sorted by id.
package struct FeatureTracks: Sendable {
  /// The living tracks.
  package private(set) var living: [FeatureTrack] = []

  /// None.
  package init() {}

  /// Takes the features of a frame, sorted by id, and returns the tracks that ended because the frame does not see them,
  /// with their unused sights.
  ///
  /// - Parameters:
  ///   - poseID: the pose kept for this frame; nil keeps the tracks alive without recording a sight.
  ///   - camera: which camera saw them.
  package mutating func observe(
    _ features: [FeatureObservation], lens: LensModel, poseID: Int?, camera: Int = 0
  ) -> [FeatureTrack] {
    var alive: [FeatureTrack] = []
    var ended: [FeatureTrack] = []
    alive.reserveCapacity(features.count)
    var i = 0
    for feature in features {
      while i < living.count, living[i].featureID < feature.featureID {
        ended.append(living[i].removeUnused())
        i += 1
      }
      if i < living.count, living[i].featureID == feature.featureID {
        // Taken out of its old place, so that its sights are not copied when one is added.
        alive.append(FeatureTrack(featureID: feature.featureID, sights: []))
        swap(&alive[alive.count - 1], &living[i])
        i += 1
      } else {
        alive.append(FeatureTrack(featureID: feature.featureID, sights: []))
      }
      let pixel = SIMD2(feature.u, feature.v)
      if let poseID, let direction = lens.direction(ofPixel: pixel) {
        alive[alive.count - 1].sights.append(
          .init(poseID: poseID, pixel: pixel, direction: direction, camera: camera))
      }
    }
    ended += living[i...].indices.map { living[$0].removeUnused() }
    living = alive
    return ended
  }

  /// Adds what a second camera saw, at the moment of a kept pose, of the points that are followed; what else it saw is passed
  /// over. Features sorted by id.
  package mutating func join(_ features: [FeatureObservation], lens: LensModel, poseID: Int, camera: Int) {
    var i = 0
    for feature in features {
      while i < living.count, living[i].featureID < feature.featureID { i += 1 }
      guard i < living.count, living[i].featureID == feature.featureID, living[i].sights.last?.poseID == poseID else {
        continue
      }
      let pixel = SIMD2(feature.u, feature.v)
      if let direction = lens.direction(ofPixel: pixel) {
        living[i].sights.append(.init(poseID: poseID, pixel: pixel, direction: direction, camera: camera))
      }
    }
  }

  /// Takes the unused sights out of the living tracks that have one from a pose; the tracks live on.
  package mutating func take(seenFrom poseID: Int) -> [FeatureTrack] {
    living.indices.filter { i in living[i].unused.contains { $0.poseID == poseID } }.map { living[$0].removeUnused() }
  }

  /// Takes the unused sights out of the `count` living tracks that have most of them, but at least `fewest` each; ties go
  /// to the older id. The tracks live on.
  package mutating func removeLongest(_ count: Int, fewest: Int) -> [FeatureTrack] {
    let long = living.indices.filter { living[$0].unused.count >= fewest }
    let sorted = long.sorted { (living[$1].unused.count, $0) < (living[$0].unused.count, $1) }
    return sorted.prefix(max(count, 0)).map { living[$0].removeUnused() }
  }

  /// Takes the unused sights out of the living tracks with these ids; the tracks live on. Tracks without any are left out.
  package mutating func take(featureIDs: Set<Int64>) -> [FeatureTrack] {
    living.indices.filter { featureIDs.contains(living[$0].featureID) && !living[$0].unused.isEmpty }
      .map { living[$0].removeUnused() }
  }

  /// True while a track is followed. O(log n).
  package func isAlive(_ featureID: Int64) -> Bool {
    var low = 0, high = living.count
    while low < high {
      let middle = (low + high) / 2
      if living[middle].featureID < featureID { low = middle + 1 } else { high = middle }
    }
    return low < living.count && living[low].featureID == featureID
  }

  /// Forgets tracks by their ids.
  package mutating func discard(_ ids: Set<Int64>) {
    if !ids.isEmpty { living.removeAll { ids.contains($0.featureID) } }
  }

  /// Forgets the sights from a pose.
  package mutating func forget(poseID: Int) { for i in living.indices { living[i].forget(poseID: poseID) } }

  /// Median angle, radians, between the living tracks' directions from a new pose and where mere turning would put what
  /// an old pose saw; nil when no track has both. Also their number.
  package func parallax(from old: Int, to new: Int, newFromOld: Rotation) -> (median: Double?, count: Int) {
    var angles: [Double] = []
    for track in living {
      guard let after = track.sights.last, after.poseID == new,
        let before = track.sights.last(where: { $0.poseID == old && $0.camera == 0 })
      else { continue }
      angles.append((newFromOld * before.direction).cross(after.direction).norm)
    }
    return (Disparity.median(&angles), angles.count)
  }

  /// Forgets everything.
  package mutating func removeAll() { living.removeAll() }
}

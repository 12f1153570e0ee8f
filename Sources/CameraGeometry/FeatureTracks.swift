import Geometry
import LeastSquares
import SensorData

/// A feature track: the observations of one point over the frames.
package struct FeatureTrack: Equatable, Sendable {
  /// One observation from a pose that the filter keeps (a clone).
  package struct Observation: Equatable, Sendable {
    /// Id of the clone.
    package var poseID: Int
    /// Raw pixels.
    package var pixel: SIMD2<Double>
    /// Unit direction, camera axes.
    package var direction: Vector3
    /// Camera: 0 is the one whose pose is kept, 1 a second one beside it.
    package var camera = 0
    /// Seconds from the kept pose to the exposure of this observation, see `FeatureObservation.rowDelay`.
    package var rowDelay = 0.0

    /// An observation from its parts.
    package init(poseID: Int, pixel: SIMD2<Double>, direction: Vector3, camera: Int = 0, rowDelay: Double = 0) {
      self.poseID = poseID
      self.pixel = pixel
      self.direction = direction
      self.camera = camera
      self.rowDelay = rowDelay
    }
  }

  /// The track's identity.
  package var featureID: Int64
  /// The observations from kept poses, oldest first.
  package var observations: [Observation]
  /// How many of them, the oldest ones, have been used.
  private var usedCount = 0

  /// A track from its parts.
  package init(featureID: Int64, observations: [Observation], usedCount: Int = 0) {
    self.featureID = featureID
    self.observations = observations
    self.usedCount = usedCount
  }

  /// The observations not yet used.
  package var unused: ArraySlice<Observation> { observations[usedCount...] }

  /// Marks the unused observations as used; returns them as a track of its own.
  mutating func removeUnused() -> FeatureTrack {
    defer { usedCount = observations.count }
    return FeatureTrack(featureID: featureID, observations: Array(unused))
  }

  mutating func forget(poseID: Int) {
    while let index = observations.firstIndex(where: { $0.poseID == poseID }) {
      observations.remove(at: index)
      if index < usedCount { usedCount -= 1 }
    }
  }
}

/// The living tracks, sorted by id.
package struct FeatureTracks: Sendable {
  /// The living tracks.
  package private(set) var living: [FeatureTrack] = []

  /// No tracks.
  package init() {}

  /// Records the features of a frame, sorted by id. Returns the tracks that ended because the frame does not contain
  /// them, with their unused observations.
  ///
  /// - Parameters:
  ///   - poseID: the pose kept for this frame; nil keeps the tracks alive without recording an observation.
  ///   - camera: which camera observed them.
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
        // Swapped out, so that its observations are not copied on append.
        alive.append(FeatureTrack(featureID: feature.featureID, observations: []))
        swap(&alive[alive.count - 1], &living[i])
        i += 1
      } else {
        alive.append(FeatureTrack(featureID: feature.featureID, observations: []))
      }
      let pixel = SIMD2(feature.u, feature.v)
      if let poseID, let direction = lens.direction(ofPixel: pixel) {
        alive[alive.count - 1].observations.append(
          .init(
            poseID: poseID, pixel: pixel, direction: direction, camera: camera, rowDelay: feature.rowDelay))
      }
    }
    ended += living[i...].indices.map { living[$0].removeUnused() }
    living = alive
    return ended
  }

  /// Adds observations of the living tracks by a second camera at the time of a kept pose; its other features are
  /// ignored. Features sorted by id.
  package mutating func join(_ features: [FeatureObservation], lens: LensModel, poseID: Int, camera: Int) {
    var i = 0
    for feature in features {
      while i < living.count, living[i].featureID < feature.featureID { i += 1 }
      guard i < living.count, living[i].featureID == feature.featureID,
        living[i].observations.last?.poseID == poseID
      else { continue }
      let pixel = SIMD2(feature.u, feature.v)
      if let direction = lens.direction(ofPixel: pixel) {
        living[i].observations.append(
          .init(
            poseID: poseID, pixel: pixel, direction: direction, camera: camera, rowDelay: feature.rowDelay))
      }
    }
  }

  /// Removes the unused observations of the living tracks that have one from a pose; the tracks stay alive.
  package mutating func removeUnused(seenFrom poseID: Int) -> [FeatureTrack] {
    living.indices.filter { i in living[i].unused.contains { $0.poseID == poseID } }.map { living[$0].removeUnused() }
  }

  /// Removes the unused observations of the `count` living tracks that have most of them, but at least `fewest` each.
  /// Ties go to the lower id. The tracks stay alive.
  package mutating func removeLongest(_ count: Int, fewest: Int) -> [FeatureTrack] {
    let long = living.indices.filter { living[$0].unused.count >= fewest }
    let sorted = long.sorted { (living[$1].unused.count, $0) < (living[$0].unused.count, $1) }
    return sorted.prefix(max(count, 0)).map { living[$0].removeUnused() }
  }

  /// Removes the unused observations of the living tracks with these ids; tracks without any are left out. The tracks
  /// stay alive.
  package mutating func removeUnused(featureIDs: Set<Int64>) -> [FeatureTrack] {
    living.indices.filter { featureIDs.contains(living[$0].featureID) && !living[$0].unused.isEmpty }
      .map { living[$0].removeUnused() }
  }

  /// True while a track is alive. O(log n).
  package func isAlive(_ featureID: Int64) -> Bool {
    let index = living.partitioningIndex { $0.featureID >= featureID }
    return index < living.count && living[index].featureID == featureID
  }

  /// Removes tracks by their ids.
  package mutating func discard(_ ids: Set<Int64>) {
    if !ids.isEmpty { living.removeAll { ids.contains($0.featureID) } }
  }

  /// Removes the observations from a pose.
  package mutating func forget(poseID: Int) { for i in living.indices { living[i].forget(poseID: poseID) } }

  /// Median angle, radians, between the living tracks' directions from a new pose and the directions from an old pose
  /// after pure rotation; nil when no track has both. Also their number.
  package func parallax(from old: Int, to new: Int, newFromOld: Rotation) -> (median: Double?, count: Int) {
    var angles: [Double] = []
    for track in living {
      guard let after = track.observations.last, after.poseID == new,
        let before = track.observations.last(where: { $0.poseID == old && $0.camera == 0 })
      else { continue }
      angles.append((newFromOld * before.direction).cross(after.direction).norm)
    }
    return (angles.median, angles.count)
  }

  /// Removes all tracks.
  package mutating func removeAll() { living.removeAll() }
}

/// Displacement of features between two frames.
package enum Disparity {
  /// Median distance in pixels over the features common to both frames, and their number; nil when there is none.
  ///
  /// - Parameters: features sorted by id, each id once. O(n log n).
  package static func median(from old: [FeatureObservation], to new: [FeatureObservation]) -> (
    pixels: Double, count: Int
  )? {
    let squared = FeaturePair.shared(old, new).map { pair in
      let moved = pair.now - pair.then
      return moved.x * moved.x + moved.y * moved.y
    }.filter(\.isFinite)
    return squared.median.map { ($0.squareRoot(), squared.count) }
  }
}

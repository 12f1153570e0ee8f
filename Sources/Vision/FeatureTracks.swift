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

    /// A sight from its parts.
    package init(poseID: Int, pixel: SIMD2<Double>, direction: Vector3) {
      self.poseID = poseID
      self.pixel = pixel
      self.direction = direction
    }
  }

  /// The track's identity.
  package var featureID: Int64
  /// The sights not yet used, oldest first.
  package var sights: [Sight]
}

/// The tracks that are alive, sorted by id.
package struct FeatureTracks: Sendable {
  /// The living tracks.
  package private(set) var living: [FeatureTrack] = []

  /// None.
  package init() {}

  /// Takes the features of a frame, sorted by id, and returns the tracks that ended because the frame does not see them.
  ///
  /// - Parameter poseID: the pose kept for this frame; nil keeps the tracks alive without recording a sight.
  package mutating func observe(_ features: [FeatureObservation], lens: LensModel, poseID: Int?) -> [FeatureTrack] {
    var alive: [FeatureTrack] = []
    var ended: [FeatureTrack] = []
    alive.reserveCapacity(features.count)
    var i = 0
    for feature in features {
      while i < living.count, living[i].featureID < feature.featureID {
        ended.append(living[i])
        i += 1
      }
      var track = FeatureTrack(featureID: feature.featureID, sights: [])
      if i < living.count, living[i].featureID == feature.featureID {
        track = living[i]
        i += 1
      }
      let pixel = SIMD2(feature.u, feature.v)
      if let poseID, let direction = lens.direction(ofPixel: pixel) {
        track.sights.append(.init(poseID: poseID, pixel: pixel, direction: direction))
      }
      alive.append(track)
    }
    ended.append(contentsOf: living[i...])
    living = alive
    return ended
  }

  /// Takes all unused sights out of the living tracks that were seen from a pose; the tracks live on without them.
  package mutating func take(seenFrom poseID: Int) -> [FeatureTrack] {
    var taken: [FeatureTrack] = []
    for i in living.indices where living[i].sights.contains(where: { $0.poseID == poseID }) {
      taken.append(living[i])
      living[i].sights.removeAll()
    }
    return taken
  }

  /// Takes all unused sights out of the `count` living tracks that have most of them, but at least `fewest` each; ties go
  /// to the older id. The tracks live on without them.
  package mutating func takeLongest(_ count: Int, fewest: Int) -> [FeatureTrack] {
    let long = living.indices.filter { living[$0].sights.count >= fewest }
    let sorted = long.sorted { (living[$1].sights.count, $0) < (living[$0].sights.count, $1) }
    return sorted.prefix(max(count, 0)).map { i in
      defer { living[i].sights.removeAll() }
      return living[i]
    }
  }

  /// Forgets tracks by their ids.
  package mutating func discard(_ ids: Set<Int64>) {
    if !ids.isEmpty { living.removeAll { ids.contains($0.featureID) } }
  }

  /// Forgets the sights from a pose.
  package mutating func forget(poseID: Int) {
    for i in living.indices { living[i].sights.removeAll { $0.poseID == poseID } }
  }

  /// Median angle, radians, between the living tracks' directions from a new pose and where mere turning would put what
  /// an old pose saw; nil when no track has both. Also their number.
  package func parallax(from old: Int, to new: Int, newFromOld: Rotation) -> (median: Double?, count: Int) {
    var angles: [Double] = []
    for track in living {
      guard let after = track.sights.last, after.poseID == new,
        let before = track.sights.last(where: { $0.poseID == old })
      else { continue }
      angles.append((newFromOld * before.direction).cross(after.direction).norm)
    }
    return (Disparity.median(&angles), angles.count)
  }

  /// Forgets everything.
  package mutating func removeAll() { living.removeAll() }
}

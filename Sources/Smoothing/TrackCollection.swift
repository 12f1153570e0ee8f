import CameraGeometry
import SensorData

/// Collects the keyframes' observations into tracks.
package enum TrackCollection {
  /// Most observations of one point, half a minute at full rate: bounds memory. A longer track is split into
  /// independent points.
  package static let maxObservations = 600
  /// Fewest observations of a point.
  package static let minObservations = 3

  /// The tracks of frames given by their observations, sorted by id; a point missing in a frame has ended.
  package static func tracks(_ frames: [[FeatureObservation]], lens: LensModel) -> [LandmarkTrack] {
    var done: [LandmarkTrack] = []
    var living: [LandmarkTrack] = []
    func finish(_ track: LandmarkTrack) { if track.observations.count >= minObservations { done.append(track) } }
    for (index, features) in frames.enumerated() {
      var alive: [LandmarkTrack] = []
      alive.reserveCapacity(features.count)
      var i = 0
      for feature in features {
        while i < living.count, living[i].featureID < feature.featureID {
          finish(living[i])
          i += 1
        }
        var track = LandmarkTrack(featureID: feature.featureID, observations: [])
        if i < living.count, living[i].featureID == feature.featureID {
          track = living[i]
          i += 1
          if track.observations.count >= maxObservations {
            finish(track)
            track.observations.removeAll()
          }
        }
        let pixel = SIMD2(feature.u, feature.v)
        if let direction = lens.direction(ofPixel: pixel) {
          track.observations.append(.init(keyframe: index, pixel: pixel, direction: direction))
        }
        alive.append(track)
      }
      living[i...].forEach(finish)
      living = alive
    }
    living.forEach(finish)
    return done
  }
}

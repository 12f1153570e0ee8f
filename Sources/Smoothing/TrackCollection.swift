import SensorData
import CameraGeometry

/// Collects what the keyframes saw into tracks.
package enum TrackCollection {
  /// Most sights of one point, half a minute at full rate: bounds memory. A longer track becomes several points, and what links them is lost.
  package static let longest = 600
  /// Fewest sights that make a point worth its unknowns.
  package static let fewest = 3

  /// The tracks of frames given by what each saw, sorted by id; a point that a frame does not see has ended.
  package static func tracks(_ frames: [[FeatureObservation]], lens: LensModel) -> [LandmarkTrack] {
    var done: [LandmarkTrack] = []
    var living: [LandmarkTrack] = []
    func finish(_ track: LandmarkTrack) { if track.sights.count >= fewest { done.append(track) } }
    for (index, features) in frames.enumerated() {
      var alive: [LandmarkTrack] = []
      alive.reserveCapacity(features.count)
      var i = 0
      for feature in features {
        while i < living.count, living[i].featureID < feature.featureID {
          finish(living[i])
          i += 1
        }
        var track = LandmarkTrack(featureID: feature.featureID, sights: [])
        if i < living.count, living[i].featureID == feature.featureID {
          track = living[i]
          i += 1
          if track.sights.count >= longest {
            finish(track)
            track.sights.removeAll()
          }
        }
        let pixel = SIMD2(feature.u, feature.v)
        if let direction = lens.direction(ofPixel: pixel) {
          track.sights.append(.init(keyframe: index, pixel: pixel, direction: direction))
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

import SensorData

/// Statistics of tracking, in words.
struct TrackSummary {
  private struct Camera {
    var frames = 0, features = 0, tracks = 0
    var lastID: Int64 = 0
    var views: [ViewCondition: Int] = [:]
  }
  private var cameras: [Int: Camera] = [:]

  /// Counts a frame.
  mutating func add(_ frame: CameraFrame) {
    var camera = cameras[frame.camera] ?? Camera()
    camera.frames += 1
    camera.features += frame.features.count
    // Ids increase with the beginning of tracks. A second camera may observe some of them later: its count leaves these
    // out.
    for feature in frame.features where feature.featureID > camera.lastID {
      camera.tracks += 1
      camera.lastID = feature.featureID
    }
    if let view = frame.view { camera.views[view, default: 0] += 1 }
    cameras[frame.camera] = camera
  }

  /// A line per camera.
  var lines: [String] {
    cameras.sorted { $0.key < $1.key }.map { number, camera in
      let each = Double(camera.features) / Double(max(1, camera.frames))
      var words = "cam\(number): \(Words.count(camera.frames, "frame")), \(Words.fixed(each, 0)) tracks in each"
      if number == 0 {
        words += ", \(Words.fixed(Double(camera.features) / Double(max(1, camera.tracks)), 1)) frames a track"
        let others = ViewCondition.allCases.filter { $0 != .clear }.compactMap { view in
          camera.views[view].map { "\(view.rawValue) \($0)" }
        }
        if !others.isEmpty { words += "; no features in some: " + others.joined(separator: ", ") }
      }
      return words
    }
  }
}

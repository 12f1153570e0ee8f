import Geometry

/// Selects the frames whose states become unknowns: at most twenty per second, and fewer while the device hardly moves.
package enum KeyframeSelection {
  /// Shortest time between keyframes, seconds: twenty per second, with slack for the camera's jitter. Observations of
  /// the frames in between are not used.
  static let minInterval = 0.045
  /// Longest, seconds: over more the IMU's drift is too large.
  static let maxInterval = 0.5
  /// Least displacement for a new keyframe, metres.
  static let minDisplacement = 0.02
  /// Least rotation for a new keyframe, radians.
  static let minRotation = 0.03

  /// Indices of the selected frames, ascending; the first and the last frame are always selected.
  package static func indices(of frames: [ForwardRecord.Frame]) -> [Int] {
    guard frames.count > 1 else { return Array(frames.indices) }
    var chosen = [0]
    for i in 1..<frames.count - 1 {
      let last = frames[chosen[chosen.count - 1]], frame = frames[i]
      let elapsed = frame.timestamp.seconds(since: last.timestamp)
      let moved = (frame.state.position - last.state.position).norm >= minDisplacement
      let rotated = (last.state.rotation.inverse * frame.state.rotation).log.norm >= minRotation
      // A frame before a gap is selected without motion.
      let gap = frames[i + 1].timestamp.seconds(since: last.timestamp) > maxInterval
      if elapsed >= minInterval, moved || rotated || gap { chosen.append(i) }
    }
    return chosen + [frames.count - 1]
  }
}

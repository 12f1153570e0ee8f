import Geometry

/// Chooses the frames whose states become unknowns: at most twenty a second, and few while hardly anything moves.
package enum KeyframeSelection {
  /// Shortest time between keyframes, seconds: twenty a second, and some slack for the camera's jitter. What a frame in between saw is left
  /// out.
  static let shortest = 0.045
  /// Longest, seconds: over more the inertial unit tells too little.
  static let longest = 0.5
  /// Way that is worth a keyframe, metres.
  static let way = 0.02
  /// Turn that is worth a keyframe, radians.
  static let turn = 0.03

  /// Indices of the chosen frames, ascending; the first and the last frame are always among them.
  package static func indices(of frames: [ForwardRecord.Frame]) -> [Int] {
    guard frames.count > 1 else { return Array(frames.indices) }
    var chosen = [0]
    for i in 1..<frames.count - 1 {
      let last = frames[chosen[chosen.count - 1]], frame = frames[i]
      let elapsed = frame.timestamp.seconds(since: last.timestamp)
      let moved = (frame.state.position - last.state.position).norm >= way
      let turned = (last.state.rotation.inverse * frame.state.rotation).log.norm >= turn
      // A frame that is followed by a gap must not wait for motion.
      let gap = frames[i + 1].timestamp.seconds(since: last.timestamp) > longest
      if elapsed >= shortest, moved || turned || gap { chosen.append(i) }
    }
    return chosen + [frames.count - 1]
  }
}

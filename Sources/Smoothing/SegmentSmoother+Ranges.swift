import Geometry
import Inertial
import SensorData

/// Links to peers.
extension SegmentSmoother {
  /// Links to peers whose position is observable from the path.
  func links(_ problem: BatchProblem) -> [RangeLink] {
    ranges.links.compactMap { antennas in
      let anchoredRanges = antennas.map { series in
        series.ranges.compactMap { anchored($0, series.antenna, problem) }
      }
      let measured = anchoredRanges.flatMap { $0 }.map {
        (antenna: $0.antenna(problem.keyframes[$0.keyframe].state, gravity: gravity), range: $0.range)
      }
      return PeerSearch(measured).peer().map { RangeLink(ranges: anchoredRanges, peer: $0) }
    }
  }

  /// A range, anchored to the last keyframe before it; nil outside the segment, and without IMU motion in between.
  private func anchored(_ range: RangeMeasurement, _ antenna: Vector3, _ problem: BatchProblem) -> AnchoredRange? {
    let keyframes = problem.keyframes
    var low = 0, high = keyframes.count
    while low < high {
      let middle = (low + high) / 2
      if keyframes[middle].timestamp <= range.timestamp { low = middle + 1 } else { high = middle }
    }
    guard low > 0, low < keyframes.count || keyframes[low - 1].timestamp == range.timestamp else { return nil }
    let frame = keyframes[low - 1]
    let elapsed = range.timestamp.seconds(since: frame.timestamp)
    guard elapsed <= 2 * KeyframeSelection.maxInterval else { return nil }
    var displacement = antenna
    if elapsed > 0 {
      guard let motion = motion(frame.state, problem.rig.intrinsics, from: frame.timestamp, to: range.timestamp)
      else { return nil }
      displacement = motion.delta.position + motion.delta.rotation * antenna
    }
    return AnchoredRange(keyframe: low - 1, elapsed: elapsed, displacement: displacement, range: range.range)
  }
}

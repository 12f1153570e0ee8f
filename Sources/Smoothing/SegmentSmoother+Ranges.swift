import Geometry
import Inertial
import SensorData

/// Links to peers.
extension SegmentSmoother {
  /// Links to peers whose place the path tells.
  func links(_ problem: BatchProblem) -> [RangeLink] {
    ranges.links.compactMap { antennas in
      let tied = antennas.map { series in
        series.ranges.compactMap { anchored($0, series.antenna, problem) }
      }
      let sights = tied.flatMap { $0 }.map {
        (place: $0.antenna(problem.keyframes[$0.keyframe].state, gravity: gravity), range: $0.range)
      }
      return PeerSearch(sights).peer().map { RangeLink(ranges: tied, peer: $0) }
    }
  }

  /// A range, tied to the last keyframe before it; nil outside the stretch, and where the motion in between is not known.
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
    guard elapsed <= 2 * KeyframeSelection.longest else { return nil }
    var way = antenna
    if elapsed > 0 {
      guard let motion = motion(frame.state, problem.rig.intrinsics, from: frame.timestamp, to: range.timestamp)
      else { return nil }
      way = motion.delta.position + motion.delta.rotation * antenna
    }
    return AnchoredRange(keyframe: low - 1, elapsed: elapsed, way: way, range: range.range)
  }
}

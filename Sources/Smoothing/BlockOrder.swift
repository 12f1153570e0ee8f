import Estimator
import Inertial

/// In which order the unknowns of a `BatchProblem` stand in its normal equations: keyframes in time order, every point that lives
/// long behind the last keyframe that saw it, then what all depend on: the rig and the peers.
///
/// Eliminated in this order, a keyframe leaves behind couplings of the next ones and of the points that are seen before and after it, as in
/// a filter that has living points in its state: three numbers a point, however long it lives. With all points eliminated first, every
/// keyframe would be coupled to all that shared a point with it.
/// Source: George, Liu, "Computer Solution of Large Sparse Positive Definite Systems", Prentice-Hall 1981, chapter 4 (envelopes).
struct BlockOrder {
  /// A point that is seen over no more keyframes than this is eliminated first, and couples these to each other: cheaper for the many that
  /// live short.
  static let short = 24
  /// Block of each keyframe.
  private(set) var keyframes: [Int] = []
  /// Block of each track's point; nil where it is eliminated first, or not known.
  private(set) var points: [Int?]
  /// Block of the rig.
  private(set) var rig: Int
  /// Block of each link's peer.
  private(set) var peers: Range<Int>
  /// Numbers of each block.
  private(set) var sizes: [Int] = []
  /// First number of each block in the vector of all.
  private(set) var offsets: [Int] = []
  /// The earliest block that each block is coupled to.
  private(set) var first: [Int] = []

  /// The order of a problem's unknowns.
  init(_ problem: BatchProblem) {
    var endings = [[Int]](repeating: [], count: problem.keyframes.count)
    var earliest = problem.keyframes.indices.map { max($0 - 1, 0) }
    for (i, track) in problem.tracks.enumerated() where track.landmark != nil {
      guard let begin = track.sights.first?.keyframe, let end = track.sights.last?.keyframe else { continue }
      if end - begin > Self.short {
        endings[end].append(i)
      } else {
        for k in begin...end { earliest[k] = min(earliest[k], begin) }
      }
    }
    for row in problem.links.flatMap(\.rows) {
      guard let before = row.before?.range.keyframe else { continue }
      earliest[row.range.keyframe] = min(earliest[row.range.keyframe], before)
    }
    points = [Int?](repeating: nil, count: problem.tracks.count)
    for k in endings.indices {
      keyframes.append(sizes.count)
      first.append(keyframes[earliest[k]])
      sizes.append(InertialState.errorSize)
      for i in endings[k] {
        first.append(keyframes[problem.tracks[i].sights[0].keyframe])
        points[i] = sizes.count
        sizes.append(Landmark.errorSize)
      }
    }
    rig = sizes.count
    peers = rig + 1..<rig + 1 + problem.links.count
    sizes += [RigEstimate.errorSize] + problem.links.map { _ in StaticPeer.errorSize }
    first += [Int](repeating: 0, count: 1 + problem.links.count)
    var total = 0
    for size in sizes {
      offsets.append(total)
      total += size
    }
  }

  /// The numbers of a block in the vector of all.
  func part(_ block: Int, of step: [Double]) -> ArraySlice<Double> {
    step[offsets[block]..<offsets[block] + sizes[block]]
  }
}

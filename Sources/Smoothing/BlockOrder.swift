import Estimator
import Inertial

/// Elimination order of the unknowns of a `BatchProblem`: keyframes in time order, every long-tracked point behind the
/// last keyframe that observed it, then the rig and the peers, on which all depend.
///
/// Eliminating a keyframe in this order couples the next keyframes and the points observed before and after it. This is
/// as in a filter with points in its state: three numbers per point, however long its track. If all points were
/// eliminated first, every keyframe would be coupled to all keyframes that share a point with it.
/// Source: George, Liu, "Computer Solution of Large Sparse Positive Definite Systems", Prentice-Hall 1981, chapter 4
/// (envelopes).
struct BlockOrder {
  /// A point observed over no more keyframes than this is eliminated first and couples them to each other: cheaper for
  /// the many short tracks.
  static let short = 24
  /// Block of each keyframe.
  private(set) var keyframes: [Int] = []
  /// Block of each track's point; nil where it is eliminated first or not triangulated.
  private(set) var points: [Int?]
  /// Block of the rig.
  private(set) var rig: Int
  /// Block of each link's peer.
  private(set) var peers: Range<Int>
  /// Dimension of each block.
  private(set) var sizes: [Int] = []
  /// Offset of each block in the vector of all unknowns.
  private(set) var offsets: [Int] = []
  /// The first block that each block is coupled to.
  private(set) var first: [Int] = []

  /// The order of a problem's unknowns.
  init(_ problem: BatchProblem) {
    var endings = [[Int]](repeating: [], count: problem.keyframes.count)
    var earliest = problem.keyframes.indices.map { max($0 - 1, 0) }
    for (i, track) in problem.tracks.enumerated() where track.landmark != nil {
      guard let begin = track.observations.first?.keyframe, let end = track.observations.last?.keyframe
      else { continue }
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
        first.append(keyframes[problem.tracks[i].observations[0].keyframe])
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

  /// The part of a block in the vector of all unknowns.
  func part(_ block: Int, of step: [Double]) -> ArraySlice<Double> {
    step[offsets[block]..<offsets[block] + sizes[block]]
  }
}

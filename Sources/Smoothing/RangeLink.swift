import Foundation
import Geometry
import Inertial

/// All ranges of one link in a stretch, with the peer they are to and the noise they show.
///
/// Their error is white noise and a coloured part that forgets over 3 s or 1 m of motion, as in the filter's posterior.
/// Differences `r_j - phi r_j-1` make it nearly white.
package struct RangeLink: Sendable {
  /// The coloured part forgets over so long, seconds, or over so much motion, metres.
  static let memory = (seconds: 3.0, metres: 1.0)
  /// What no radio is better than, 1-sigma, metres: white, coloured.
  static let floors = (white: 0.02, coloured: 0.05)
  /// A range that is off by more than this many sigmas is cut.
  static let grossError = 3.5
  /// Most keyframes between a range and the one before it: bounds how far back keyframes are coupled.
  static let farthest = 40
  /// Most steps of the peer for one of the path.
  static let refinements = 20
  /// Where the cost becomes linear, sigmas.
  static let loss = HuberLoss(threshold: 2)

  /// The ranges of one antenna after another, each in time order.
  package var ranges: [[AnchoredRange]]
  /// The peer.
  package var peer: StaticPeer
  /// 1-sigma of the white and of the coloured error, metres.
  package private(set) var noise = (white: 0.1, coloured: 0.1)
  /// What enters the problem; none before `learn`.
  package private(set) var rows: [Row] = []

  /// A link from its parts.
  package init(ranges: [[AnchoredRange]], peer: StaticPeer) {
    self.ranges = ranges
    self.peer = peer
  }

  /// One row of the problem: a range, and the one before it where its error is still remembered.
  package struct Row {
    /// The range.
    package var range: AnchoredRange
    /// The one before, and how much of its error is left.
    package var before: (range: AnchoredRange, share: Double)?
    /// 1-sigma of what is left, metres.
    package var sigma: Double
  }

  private func paired(_ keyframes: [Keyframe]) -> [Row] {
    let (w, c) = (noise.white * noise.white, noise.coloured * noise.coloured)
    var rows: [Row] = []
    for antenna in ranges {
      var last: AnchoredRange?
      for range in antenna {
        defer { last = range }
        if let last, range.keyframe - last.keyframe <= Self.farthest {
          let (a, b) = (keyframes[last.keyframe], keyframes[range.keyframe])
          let seconds = b.timestamp.seconds(since: a.timestamp) + range.elapsed - last.elapsed
          let metres = (b.state.position - a.state.position).norm
          let share = exp(-max(seconds, 0) / Self.memory.seconds - metres / Self.memory.metres)
          let variance = c * (1 - share * share) + w * (1 + share * share)
          rows.append(Row(range: range, before: (last, share), sigma: variance.squareRoot()))
        } else {
          rows.append(Row(range: range, before: nil, sigma: (c + w).squareRoot()))
        }
      }
    }
    return rows
  }

  /// A row's residual, in sigmas.
  package func residual(_ row: Row, _ keyframes: [Keyframe], gravity: Vector3) -> Double {
    var sum = row.range.residual(keyframes[row.range.keyframe].state, peer, gravity: gravity)
    if let (before, share) = row.before {
      sum -= share * before.residual(keyframes[before.keyframe].state, peer, gravity: gravity)
    }
    return sum / row.sigma
  }

  /// Learns the noise from the residuals and cuts gross errors, and makes the rows from what is left; false where the link tells nothing (too few ranges left, or
  /// too much noise for a static peer).
  package mutating func learn(_ keyframes: [Keyframe], gravity: Vector3) -> Bool {
    let peer = peer
    func errors(_ antenna: [AnchoredRange]) -> [Double] {
      antenna.map { $0.residual(keyframes[$0.keyframe].state, peer, gravity: gravity) }
    }
    let all = ranges.map(errors)
    guard let total = Self.spread(all.flatMap { $0 }), total < 0.5 else { return false }
    let count = ranges.reduce(0) { $0 + $1.count }
    // Neighbours differ by the white part, twice.
    let steps = all.flatMap { list in zip(list, list.dropFirst()).map { $1 - $0 } }
    let white = min((Self.spread(steps) ?? total) / 2.0.squareRoot(), total)
    let coloured = max(total * total - white * white, 0).squareRoot()
    // Before the path knew of these ranges, its own error would pass for theirs.
    if !rows.isEmpty { noise = (max(white, Self.floors.white), max(coloured, Self.floors.coloured)) }
    let limit = Self.grossError * max(total, Self.floors.coloured)
    ranges = zip(ranges, all).map { antenna, errors in zip(antenna, errors).filter { abs($1) <= limit }.map(\.0) }
    let left = ranges.reduce(0) { $0 + $1.count }
    rows = paired(keyframes)
    return left >= 30 && 10 * left >= 7 * count
  }

  /// Moves the peer to where the rows want it.
  package mutating func refine(_ keyframes: [Keyframe], gravity: Vector3) {
    func place(_ range: AnchoredRange) -> Vector3 { range.antenna(keyframes[range.keyframe].state, gravity: gravity) }
    let refinement = PeerRefinement(
      rows.map { row in
        .init(
          place: place(row.range), range: row.range.range,
          before: row.before.map { (place($0.range), $0.range.range, $0.share) }, sigma: row.sigma)
      })
    peer = refinement.refined(peer, steps: Self.refinements).peer
  }

  /// Robust standard deviation: 1.4826 times the median of the absolute values; nil when there are none.
  private static func spread(_ values: [Double]) -> Double? {
    let sorted = values.map(abs).sorted()
    return sorted.isEmpty ? nil : 1.4826 * sorted[sorted.count / 2]
  }
}

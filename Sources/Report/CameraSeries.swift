import Datasets
import Evaluation
import Foundation
import JSONText
import RunResults
import SensorData

/// The camera's moments as the page draws them.
enum CameraSeries {
  /// Columns and rows; for each moment its time in seconds, what happened then, tracks as flat lists of columns and
  /// rows in whole pixels, and the picture as an address within the page. Null without moments.
  static func json(_ input: ReportInput, time: TimeAxis) -> JSONValue {
    guard let camera = input.camera, !camera.moments.isEmpty else { return .null }
    let events = events(input, time: time)
    let seconds = camera.moments.map { time.seconds($0.timestamp) }
    return [
      "width": .integer(camera.width), "height": .integer(camera.height),
      "moments": .array(
        camera.moments.enumerated().map { index, moment in
          // What happened since the moment before belongs to this one: frames and updates have times of their own.
          let before = index > 0 ? seconds[index - 1] : -.infinity
          let words = events.filter {
            $0.seconds <= seconds[index] + 0.02 && $0.seconds > max(before, seconds[index] - 0.25)
          }
          return [
            "t": Columns.number(seconds[index], 3), "words": .string(words.map(\.words).joined(separator: ", ")),
            "tracks": .array(moment.tracks.map { Columns.numbers($0.points.flatMap { [$0.u, $0.v] }, 0) }),
            "picture": .string(moment.picture.map { "data:image/jpeg;base64," + Data($0).base64EncodedString() }),
          ]
        }),
    ]
  }

  /// First angles and first convergences, in order of time.
  private static func events(_ input: ReportInput, time: TimeAxis) -> [(seconds: Double, words: String)] {
    var events: [(seconds: Double, words: String)] = []
    var (known, converged): (Set<String>, Set<String>) = ([], [])
    for update in input.run.updates {
      guard let peer = update.peer else { continue }
      if update.horizontalAngle != nil, known.insert(peer).inserted {
        events.append((time.seconds(update.timestamp), "first angle of \(peer)"))
      }
      if update.status == "converged", converged.insert(peer).inserted {
        events.append((time.seconds(update.timestamp), "\(peer) converged"))
      }
    }
    return events
  }
}

/// The moments of a run at which the page shows the camera.
package enum CameraMoments {
  /// Most moments of a page with one run; several runs share them, with at least two each.
  static let most = 8
  /// Most bytes of all pictures of a page, as text: base64 takes four bytes for three.
  package static let pictureBudget = 400_000
  /// A picture below this size shows nothing: with so many runs there are tracks only.
  private static let leastPicture = 6_000

  /// How many moments a run has on a page of `runs` runs.
  package static func count(runs: Int) -> Int { max(2, most / max(1, runs)) }

  /// Most bytes of one picture's file on such a page; nil: none has a picture.
  package static func pictureLimit(runs: Int) -> Int? {
    let share = 3 * pictureBudget / (4 * max(1, runs) * count(runs: runs))
    return share < leastPicture ? nil : share
  }

  /// At most `count` times, ascending: the first angle and the first convergence of every peer, the end and the beginning,
  /// then the middle of the longest gap, again and again.
  package static func chosen(_ run: RunFolder, count: Int) -> [Timestamp] {
    let updates = run.updates.filter { $0.peer != nil }
    let stamps = updates.map(\.timestamp) + [run.poses.first?.timestamp, run.poses.last?.timestamp].compactMap { $0 }
    guard let first = stamps.min(), let last = stamps.max() else { return [] }
    let peers = Set(updates.compactMap(\.peer)).sorted()
    func starts(_ isSo: (UpdateRecord) -> Bool) -> [Timestamp] {
      peers.compactMap { peer in updates.first { $0.peer == peer && isSo($0) }?.timestamp }
    }
    var chosen: [Timestamp] = []
    for time in starts({ $0.horizontalAngle != nil }) + starts({ $0.status == "converged" }) + [last, first]
    where chosen.count < count && !chosen.contains(time) { chosen.append(time) }
    while chosen.count < count {
      let sorted = chosen.sorted()
      let gaps = zip(sorted, sorted.dropFirst()).map { ($0, $1.seconds(since: $0)) }
      // Half a second apart they look the same.
      guard let widest = gaps.max(by: { $0.1 < $1.1 }), widest.1 >= 1 else { break }
      chosen.append(widest.0.advanced(bySeconds: widest.1 / 2))
    }
    return chosen.sorted()
  }
}

/// What the camera saw at a few moments of a run, for the page.
package struct CameraView: Equatable, Sendable {
  /// A feature's positions over the last half second, raw pixels, the newest position last.
  package struct Track: Equatable, Sendable {
    /// Positions, at least one.
    package var points: [Point]

    /// A track from its positions.
    package init(points: [Point]) { self.points = points }
  }

  /// A position in the picture, pixels: the centre of the first pixel is (0, 0).
  package struct Point: Equatable, Sendable {
    /// Column.
    package var u: Double
    /// Row.
    package var v: Double

    /// A position from its coordinates.
    package init(u: Double, v: Double) { (self.u, self.v) = (u, v) }
  }

  /// One frame.
  package struct Moment: Equatable, Sendable {
    /// Its time.
    package var timestamp: Timestamp
    /// Its tracks.
    package var tracks: [Track]
    /// Its picture, a JPEG file of any size; nil where the recording has none.
    package var picture: [UInt8]?

    /// A frame from its parts.
    package init(timestamp: Timestamp, tracks: [Track], picture: [UInt8]? = nil) {
      self.timestamp = timestamp
      self.tracks = tracks
      self.picture = picture
    }
  }

  /// Columns and rows of the camera's pictures, pixels.
  package var width: Int
  package var height: Int
  /// Frames in order of time.
  package var moments: [Moment]

  /// A view from its parts.
  package init(width: Int, height: Int, moments: [Moment]) {
    self.width = width
    self.height = height
    self.moments = moments
  }
}

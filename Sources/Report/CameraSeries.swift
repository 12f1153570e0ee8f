import Datasets
import Evaluation
import Foundation
import JSONText

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

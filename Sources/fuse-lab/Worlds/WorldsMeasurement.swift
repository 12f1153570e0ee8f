import Datasets
import Foundation
import JSONText

/// Worlds of several kinds, measured.
struct WorldsMeasurement {
  var run: WorldRun
  /// Worlds of the first kind, and the first seed.
  var count: Int, first: UInt64
  /// Where rows are kept; nil: nowhere.
  var folder: String?
  /// Worlds at a time.
  var jobs: Int

  /// Measures worlds of a kind.
  ///
  /// - Returns: a section about them.
  func section(_ kind: WorldKind, count: Int, heading: String, words: String = "") throws -> String {
    let (run, first) = (run, first)
    let rows = try Tasks.results(count, jobs: jobs) { try run.row(kind, seed: first + UInt64($0)) }
    let scratch = try TemporaryFolder("worlds")
    let place = folder ?? scratch.path
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    let path = "\(place)/\(kind).jsonl"
    let file = try OutputFile(path: path, inputs: [])
    for row in rows.compactMap(\.self) { try file.write(row.bytes + [UInt8(ascii: "\n")]) }
    try file.commit()
    let text = WorldsPage.text(try WorldRow.rows(in: path))
    return "\n## \(heading)\n\n" + (words.isEmpty ? "" : words + "\n\n") + text
  }

  /// Measures all kinds of the page, writes all figures into `.build/pages/worlds.md`, and from these docs/worlds.md.
  func writePage() throws {
    let root = try Checkout.root()
    var page = """
      # Random worlds, all figures

      Written by `tools/update-worlds`: rooms, hands, IMUs, cameras, radios, peers and motions are drawn, each world once
      and with its own initialisation (`tools/update-worlds kinds`; `tools/update-worlds scenario <kind> <seed>` prints
      one). Seeds \(first) to \(Int(first) + count - 1); those before 1600 were used during development. Definitions of
      the figures: `docs/metrics.md`. Moving is faster than 5 cm/s in truth; called moving is `details.walking` over a half.

      """
    for part in parts { page += try section(part.kind, count: part.count, heading: part.heading, words: part.words) }
    try Checkout.writePage("worlds", page, in: root)
  }

  /// The sections of the page.
  private var parts: [(kind: WorldKind, count: Int, heading: String, words: String)] {
    let (some, most, third) = (count * 2 / 5, count * 2 / 3, count / 3)
    return [
      (.plain, count, "Stationary peers", ""),
      (
        .antennas, some, "Several antennas",
        """
        The first \(some) of these worlds, the device with two or three antennas 3 to 30 cm off its centre. Each has its own
        constant bias. The common fraction of the coloured error is 0.1 to 0.9; the model assumes 0.45, between the values
        measured on two real devices (`ranging.antennaCorrelation`).
        """
      ),
      (
        .strolls, some, "Moving peers",
        """
        The first \(some) again, half a minute long: the first peer of each moves at walking speed, once to three times.
        """
      ),
      (
        .phones, third, "Phones",
        """
        The first \(third) again with a modern phone's inertial unit, honestly stated: accelerometer noise of 0.002 to
        0.005 m/s^2/sqrt(Hz), and a bias of 0.6 to 0.8 m/s^2.
        """
      ),
      (
        .rests, most, "Rest first",
        """
        The first \(most) again: a rest of 2 to 20 s, then motion, beside quiet radios whose error of 0.1 to 0.3 m changes
        with the place.
        """
      ),
      (
        .poses, most, "Errors of the pose",
        """
        The first \(most) again with errors of real size that are bound to the pose: white noise of 3 to 7 cm; a field of 4
        to 10 cm whose correlation falls to 1/e over 0.2 to 0.6 m and over 20 to 45 degrees; an antenna pattern of 1 to
        9 cm; NLOS for 0.1 to 0.7 s at a time.
        """
      ),
      (
        .times, most, "Errors in time",
        "The same worlds with a drift in time of the same size instead of field and pattern."
      ),
      (
        .bodies, third, "Bodies",
        """
        The first \(third) of the stationary worlds again: ranges are 0.2 to 0.8 m too long to a peer that is farther than
        90 to 110 degrees from ahead.
        """
      ),
      (
        .walkers, most, "Slow walkers",
        """
        The first \(most) again, half a minute long: every peer walks at 0.1 to 1 m/s from the first range on.
        """
      ),
      (
        .stops, most, "Stop and go",
        """
        The first \(most) again, half a minute long: every peer stops and goes, with rests of 2 to 10 s; in half of the
        worlds the device is a robot with odometry that does, too.
        """
      ),
    ]
  }
}

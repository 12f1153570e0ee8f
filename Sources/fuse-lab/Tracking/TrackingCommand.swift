import ArgumentParser
import Datasets
import Foundation
import FrontEnd
import RunResults
import SensorData
import Simulation
import Wording

/// `fuse-lab tracking`.
struct TrackingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tracking",
    abstract: "Tracks corners in a rendered room, beside plain OpenCV on the same images: writes docs/tracking.md.")

  @Argument(help: "Seeds of room and hand; 6: about ten minutes of processor time.")
  var seeds = 6

  @OptionGroup var fuse: FuseOption

  /// Thresholds were chosen with seeds 1 to 3.
  private static let firstSeed: UInt64 = 101
  private static let motions = ["track-sweep", "track-walk", "track-turn"]
  /// Lenses of a 752x480 camera; the coefficients of the first are EuRoC's.
  private static let lenses: [(name: String, focalLength: Double, distortion: CameraCalibration.Distortion)] = [
    ("radial-tangential", 458, .radialTangential(k1: -0.283, k2: 0.074, p1: 2e-4, p2: 2e-5)),
    ("equidistant", 280, .equidistant(k1: 0.0035, k2: 7e-4, k3: -0.002, k4: 2e-4)),
  ]

  func validate() throws {
    guard (1...1000).contains(seeds) else { throw ValidationError("found \(seeds) seeds, expected 1 to 1000") }
  }

  func run() throws {
    let (checkout, fuse) = (try Checkout(), try fuse.command())
    let trials = try Self.trials(seeds: seeds)
    let details = """
      # From images to tracks, all figures

      Written by `tools/update-tracking`: a rendered room of textured surfaces, 752x480, 20 Hz, 4 ms of exposure, sensor noise. Draws of room and hand from
      \(Self.firstSeed) on (six by default), none of which thresholds were chosen by; errors and times of all draws together.

      - Errors are distances from the true projection of the point where a track began.
      - Length: frames that a track lasts, those where it is occluded not counted; those of plain OpenCV go on long after they have lost their point, so the frames
        before a track is more than 2 pixels off stand beside it.
      - To first loss: frames before a track is interrupted for the first time; to first occlusion: before its point truly is occluded.
      - Processor time is that of one thread, decoding left out.
      - ATE: the trajectory from these tracks, and from the same tracks with every place replaced by the true one.
      - Plain OpenCV: calcOpticalFlowPyrLK and goodFeaturesToTrack with their defaults, as many tracks, the same distance between them.
      - The second table: how often tracks came back, and why they ended (`TrackEnd`). The third: light.

      ## Against the truth

      \(Self.againstTruth(trials))

      ## Light

      \(try Self.light(fuse, "\(checkout.root)/tools/scenes").joined(separator: "\n"))

      """
    try Self.page(trials, details: details).write(to: checkout)
  }

  /// A motion with a lens, all draws together.
  private typealias Trial = (motion: String, lens: String, own: TrackingFigures, plain: TrackingFigures)

  private static func trials(seeds: Int) throws -> [Trial] {
    try motions.flatMap { motion in
      try lenses.map { lens in
        var scenario = try Scenario.named(motion)
        scenario.camera?.focalLength = lens.focalLength
        scenario.camera?.distortion = lens.distortion
        let draws = try (0..<seeds).map { index in
          let trial = try TrackingTrial(scenario, seed: firstSeed + UInt64(index))
          return (own: trial.own(), plain: trial.plain())
        }
        return (motion, lens.name, TrackingFigures(draws.map(\.own)), TrackingFigures(draws.map(\.plain)))
      }
    }
  }

  private static let head = [
    "motion", "lens", "tracker", "median px", "95 % px", "length", "within 2 px", "to first loss", "to first occlusion",
    "tracks", "ms", "p99 ms", "ATE m", "perfect m",
  ]

  private static func rows(_ trials: [Trial]) -> [[String]] {
    trials.flatMap { trial in
      [("fuse", trial.own), ("plain OpenCV", trial.plain)].map { [trial.motion, trial.lens, $0] + cells($1) }
    }
  }

  private static func page(_ trials: [Trial], details: String) -> Page {
    let places = head.indices.filter { ![5, 7, 8, 9, 13].contains($0) }
    func errors(_ side: KeyPath<Trial, TrackingFigures>) -> String {
      span(trials.map { $0[keyPath: side].errors.quantile(0.5) }, 2)
    }
    func trajectories(_ side: KeyPath<Trial, TrackingFigures>) -> String {
      span(trials.map { $0[keyPath: side].trajectory }, 3)
    }
    return Page(
      name: "tracking", title: "From images to tracks",
      conclusion:
        "Tracks err by \(errors(\.own)) px in the median (plain OpenCV \(errors(\.plain)) px), and a frame takes "
        + "\(span(trials.map(\.own.meanTime), 1)) ms in the mean. The trajectory from these tracks is off by "
        + "\(trajectories(\.own)) m, from plain OpenCV's by \(trajectories(\.plain)) m.",
      picture: BarChart(
        "Median error of tracks, pixels",
        trials.map { trial in
          let medians = [trial.own, trial.plain].map { $0.errors.quantile(0.5).map { Digits.rounded($0, 2) } }
          return ("\(trial.motion), \(trial.lens)", medians)
        }, series: ["fuse", "plain OpenCV"]),
      body: [
        "`fuse run` tracks a recording's images while it runs where there is no `features.csv`; `fuse track` does it once and writes the files, with",
        "the same results to the byte. How, step by step: [method](method/image-tracking.md); what was tried:",
        "[experiments/image-tracking.md](experiments/image-tracking.md).", "",
      ]
        + MarkdownTable.lines(places.map { head[$0] }, rows(trials).map { row in places.map { row[$0] } }, texts: 1) + [
          "",
          "`within 2 px`: frames until a track is over 2 pixels off. `ms`: processor time of a frame on one thread, without decoding.",
        ], details: details)
  }

  private static func againstTruth(_ trials: [Trial]) -> String {
    let reasons = trials.map { trial in
      let all = trial.own.ends.values.reduce(0, +)
      let shares = TrackEnd.allCases.map { 100 * Double(trial.own.ends[$0] ?? 0) / Double(max(1, all)) }
      return [trial.motion, trial.lens, "\(trial.own.returned)", "\(all)"] + shares.map { Digits.fixed($0, 1) }
    }
    let ends = ["motion", "lens", "came back", "ended"] + TrackEnd.allCases.map { "\($0.rawValue) %" }
    let lines = MarkdownTable.lines(head, rows(trials)) + [""] + MarkdownTable.lines(ends, reasons)
    return lines.joined(separator: "\n")
  }

  private static func cells(_ figures: TrackingFigures) -> [String] {
    [0.5, 0.95].map { Digits.fixed(figures.errors.quantile($0), 2) }
      + zip(figures.means, [1, 1, 1, 1, 0]).map { Digits.fixed($0, $1) }
      + [figures.meanTime, figures.times.quantile(0.99)].map { Digits.fixed($0, 1) }
      + [figures.trajectory, figures.perfectTrajectory].map { Digits.fixed($0, 3) }
  }

  /// What tracker and run say where the camera sees too little, and when.
  private static func light(_ fuse: ChildCommand, _ scenes: String) throws -> [String] {
    func words(_ nanoseconds: Int64, _ word: String) -> String {
      "\(Digits.fixed(Double(nanoseconds - 1_700_000_000_000_000_000) / 1e9, 2)) \(word)"
    }
    let moments = [
      ("lights-out", "4 to 6"), ("covered", "4 to 6"), ("blank-wall", "5.3 to 8.8"), ("blur", "4.9 to 6.3"),
    ]
    let rows = try moments.map { scenario, when in
      let scratch = try TemporaryFolder("tracking")
      let (folder, out) = ("\(scratch.path)/\(scenario)", "\(scratch.path)/out")
      try fuse.succeeded(["simulate", "\(scenes)/\(scenario).yaml", "-o", folder, "--images"])
      for name in ["features", "frames"] {
        try FileManager.default.removeItem(atPath: "\(folder)/mav0/cam0/\(name).csv")
      }
      try fuse.succeeded(["track", folder, "--quiet"])
      try fuse.succeeded(["run", folder, "-o", out, "--quiet"])
      var views: [String] = [], last = ""
      for line in try RegularFile.text("\(folder)/mav0/cam0/frames.csv").split(separator: "\n") {
        let cells = line.split(separator: ",")
        guard let stamp = Int64(cells[0]), cells[2] != last else { continue }
        last = String(cells[2])
        views.append(words(stamp, last))
      }
      var statuses: [String] = []
      try RunFolder(path: out, keeping: .none).forEachUpdate { update in
        guard update.peer == nil else { return }
        let cause = update.details["camera"]?.text.map { "insufficientLighting (\($0))" }
        statuses.append(words(update.timestamp.nanoseconds, cause ?? update.status))
      }
      return [scenario, when, views.joined(separator: ", "), statuses.joined(separator: ", ")]
    }
    return MarkdownTable.lines(["scenario", "when (s)", "view in `frames.csv`", "status of a run"], rows)
  }
}

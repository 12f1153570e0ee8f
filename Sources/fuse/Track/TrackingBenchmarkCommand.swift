import ArgumentParser
import FrontEnd
import RunResults
import SensorData
import Simulation

/// `fuse tracking-benchmark`: makes the tables of docs/tracking-details.md (`tools/update-tracking`); hidden from the help.
struct TrackingBenchmarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tracking-benchmark", abstract: "Compares tracks with ground truth. See tools/update-tracking.",
    shouldDisplay: false)

  @Option(help: "Only motions with this prefix.") var motion = ""
  @Option(help: "Only lenses with this prefix.") var lens = ""
  @Option(help: "Number of seeds of room and hand.") var seeds = 3
  @Option(help: "The first seed.") var firstSeed: UInt64 = 1

  /// A lens of a 752x480 camera; the coefficients of the first are EuRoC's.
  private static let lenses: [(name: String, focalLength: Double, distortion: CameraCalibration.Distortion)] = [
    ("radial-tangential", 458, .radialTangential(k1: -0.283, k2: 0.074, p1: 2e-4, p2: 2e-5)),
    ("equidistant", 280, .equidistant(k1: 0.0035, k2: 7e-4, k3: -0.002, k4: 2e-4)),
  ]
  private static let motions = ["track-sweep", "track-walk", "track-turn"]

  func validate() throws {
    guard (1...1000).contains(seeds) else { throw ValidationError("--seeds must be from 1 to 1000.") }
    guard firstSeed < 1 << 40 else { throw ValidationError("--first-seed must be under 2^40.") }
  }

  func run() throws {
    try Failure.reporting {
      var output = StandardOutput()
      try output.line(
        "| motion | lens | tracker | median px | 95 % px | length | within 2 px | to first loss | to first occlusion "
          + "| tracks | ms | p99 ms | ATE m | perfect m |"
      )
      try output.line("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
      var reasons: [String] = []
      for motion in Self.motions where motion.hasPrefix(self.motion) {
        for lens in Self.lenses where lens.name.hasPrefix(self.lens) {
          var scenario = try Scenario.asked(motion)
          scenario.camera?.focalLength = lens.focalLength
          scenario.camera?.distortion = lens.distortion
          var own: [TrackingTrial.Figures] = [], plain: [TrackingTrial.Figures] = []
          for seed in firstSeed..<firstSeed + UInt64(seeds) {
            let trial = try TrackingTrial(scenario, seed: seed)
            own.append(trial.own())
            plain.append(trial.plain())
          }
          for (name, figures) in [("fuse", own), ("plain OpenCV", plain)] {
            try output.line(Self.row([motion, lens.name, name], TrackingTrial.Figures(figures)))
          }
          reasons.append(Self.reasons([motion, lens.name], TrackingTrial.Figures(own)))
          try output.flush()
        }
      }
      try output.line("")
      try output.line(
        "| motion | lens | came back | ended | " + TrackEnd.allCases.map { "\($0.rawValue) %" }.joined(separator: " | ")
          + " |")
      try output.line("|---|---|---|---|" + TrackEnd.allCases.map { _ in "---|" }.joined())
      for line in reasons { try output.line(line) }
    }
  }

  private static func reasons(_ names: [String], _ figures: TrackingTrial.Figures) -> String {
    let ends = figures.ends
    let all = ends.values.reduce(0, +)
    let percentages = TrackEnd.allCases.map { Words.fixed(100 * Double(ends[$0] ?? 0) / Double(max(1, all)), 1) }
    return "| " + (names + ["\(figures.returned)", "\(all)"] + percentages).joined(separator: " | ") + " |"
  }

  private static func row(_ names: [String], _ figures: TrackingTrial.Figures) -> String {
    func fixed(_ value: Double?, _ decimals: Int) -> String { value.map { Words.fixed($0, decimals) } ?? "-" }
    let cells = [
      fixed(TrackingTrial.Figures.quantile(figures.errors, 0.5), 2),
      fixed(TrackingTrial.Figures.quantile(figures.errors, 0.95), 2), fixed(figures.length, 1),
      fixed(figures.soundLength, 1), fixed(figures.firstStretch, 1), fixed(figures.firstObservation, 1),
      fixed(figures.tracks, 0),
      fixed(figures.times.reduce(0, +) / Double(max(1, figures.times.count)), 1),
      fixed(TrackingTrial.Figures.quantile(figures.times, 0.99), 1), fixed(figures.trajectory, 3),
      fixed(figures.perfectTrajectory, 3),
    ]
    return "| " + (names + cells).joined(separator: " | ") + " |"
  }
}

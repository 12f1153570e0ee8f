import ArgumentParser
import Datasets
import Evaluation
import Foundation
import JSONText

/// `fuse-lab radios`.
struct RadiosCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "radios", abstract: "Two motions with random radios, four with fixed ones: writes docs/radios.md.")

  @Option(help: "Random radios of each motion; 100: a quarter of an hour of processor time.")
  var radios = 100

  @Option(help: "Seeds of each random radio.")
  var seeds = 4

  @Option(help: "Seeds of each motion with a fixed radio; 40: about 50 minutes of processor time.")
  var draws = 40

  @OptionGroup var fuse: FuseOption

  func validate() throws {
    if min(radios, seeds, draws) < 1 { throw ValidationError("expected numbers of 1 or more") }
  }

  func run() throws {
    let checkout = try Checkout()
    let measurement = RadioMeasurement(
      fuse: try fuse.command(), scenarios: "\(checkout.root)/Sources/Simulation/Scenarios",
      folder: try TemporaryFolder("radios"), jobs: fuse.jobs)
    var page = """
      # Radios of every kind, all figures

      Written by `tools/update-radios`: \(radios) radios per motion, \(seeds) seeds each, on the true path; white and coloured error of 2 to 20 cm, the latter with
      correlation times of 0.5 to 15 s, 5 to 50 ranges per second, NLOS, losses and outliers. The ideal observer knows the model of each; the finder has one
      default setting for all. `published`, `error ratio`, `half-width ratio`: where the angle is observable (`docs/metrics.md`).

      """
    let drawn = try ["mc-arc-vertical", "mc-walk-l"].map { motion in
      (motion: motion, trials: try measurement.rows(motion, radios: radios, seeds: seeds))
    }
    page += drawn.map { RadiosPage.section($0.motion, $0.trials) }.joined()
    page += """

      ## One radio, four motions

      The same finder and observer, \(draws) seeds per motion. White noise of 0.1 m is the radio of the theoretical bounds; the finder does not know that it is white.

      """
    let fixed = try FixedRadio.all.map { (radio: $0, rows: try measurement.rows($0, seeds: draws)) }
    page += fixed.map { RadiosPage.section($0.radio.title, motions: $0.rows) }.joined()
    try RadiosPage.page(drawn, fixed, details: page).write(to: checkout)
  }
}

/// A radio with drawn parameters.
package struct RandomRadio {
  /// Members of a scenario's section `uwb`.
  package let members: [(key: String, value: Double)]

  /// The radio of that number.
  package init(_ number: Int) {
    let draw = PythonRandom(UInt64(number))
    func logUniform(_ low: Double, _ high: Double, _ decimals: Int) -> Double {
      Digits.rounded(draw.logUniform(low, high), decimals)
    }
    members = [
      ("rate_hz", logUniform(5, 50, 2)), ("range_noise_std_m", logUniform(0.02, 0.2, 3)),
      ("drift_std_m", logUniform(0.02, 0.2, 3)), ("drift_time_s", logUniform(0.5, 15, 2)),
      ("nlos_share", draw.choice([0, 0, 0.05, 0.1, 0.3])), ("nlos_dwell_s", logUniform(0.2, 4, 2)),
      ("nlos_excess_m", logUniform(0.2, 2, 2)), ("dropout_share", draw.choice([0, 0.02, 0.3])),
      ("outlier_share", draw.choice([0, 0.005, 0.03])),
    ]
  }

  subscript(key: String) -> Double { members.first { $0.key == key }!.value }
}

/// One radio for every seed: white noise alone, the same with NLOS, and coloured noise of several sizes and times.
struct FixedRadio {
  /// Of its scenarios.
  var name: String
  /// White and coloured error, metres, the latter's correlation time, seconds, and the fraction of NLOS.
  var white: Double, coloured = 0.0, time = 2.0, nlos = 0.0
  /// Whether the finder gets the observer's noise model: the cost of not knowing the radio.
  var isKnown = false

  static let all = [
    FixedRadio(name: "white", white: 0.1), FixedRadio(name: "white", white: 0.1, isKnown: true),
    FixedRadio(name: "coloured", white: 0.06, coloured: 0.08, isKnown: true),
    FixedRadio(name: "white-nlos", white: 0.1, nlos: 0.05), FixedRadio(name: "mixed", white: 0.06, coloured: 0.04),
    FixedRadio(name: "half", white: 0.06, coloured: 0.16, time: 0.5),
    FixedRadio(name: "third", white: 0.06, coloured: 0.12, time: 0.3),
    FixedRadio(name: "sixth", white: 0.05, coloured: 0.2, time: 0.15),
  ]

  /// Of its section.
  var title: String {
    "White noise of \(Self.words(white)) m"
      + (coloured > 0 ? ", and coloured of \(Self.words(coloured)) m with \(Self.words(time)) s" : "")
      + (nlos > 0 ? ", NLOS for a twentieth of the time" : "") + (isKnown ? ", known to the finder" : "")
  }

  /// The same in short.
  var label: String {
    "white \(Self.words(white)) m"
      + (coloured > 0 ? ", \(Self.words(coloured)) m with \(Self.words(time)) s" : "") + (nlos > 0 ? ", NLOS" : "")
      + (isKnown ? ", known" : "")
  }

  private static func words(_ value: Double) -> String { Digits.significant(value, 3) }

  /// Members of a scenario's section `uwb`.
  var members: [(key: String, value: Double)] {
    [
      ("range_noise_std_m", white), ("drift_std_m", coloured), ("drift_time_s", time), ("nlos_share", nlos),
      ("dropout_share", 0), ("outlier_share", 0),
    ]
  }

  /// Settings of a finder that knows it.
  var settings: String {
    """
    ranging:
      noiseCandidates: [[\(max(coloured, 0.001)), \(time)]]
      assumedNoise: 0.1
      statedNoisePseudoCount: 1e9

    """
  }
}

/// Scenarios with other radios, evaluated.
struct RadioMeasurement {
  var fuse: ChildCommand
  /// The folder of the scenarios.
  var scenarios: String
  var folder: TemporaryFolder
  /// Evaluations at a time.
  var jobs: Int

  /// The rows of a motion with random radios; one without a row is left out.
  func rows(_ motion: String, radios: Int, seeds: Int) throws -> [(radio: RandomRadio, row: JSONValue)] {
    // In the order of the numbers as texts, as recorded: equal parameters keep their group.
    let numbers = (1...radios).sorted { "\($0)" < "\($1)" }
    let paths = try numbers.map { try scenario(motion, "\($0)", RandomRadio($0).members) }
    let fuse = fuse
    let rows = try TaskQueue.outcomes(paths.count, jobs: jobs) { index in
      try fuse.rows([
        "eval", "--scenario", paths[index], "--seeds", "\(seeds)", "--odometry", "--quiet", "--format", "jsonl",
      ])
    }
    return zip(numbers, rows).compactMap { number, rows in rows.first.map { (RandomRadio(number), $0) } }
  }

  /// The rows of four motions with one radio, and of all.
  func rows(_ radio: FixedRadio, seeds: Int) throws -> [JSONValue] {
    var words = [
      "eval", "--seeds", "\(seeds)", "--odometry", "--pool", "--quiet", "--jobs", "\(jobs)", "--format", "jsonl",
    ]
    if radio.isKnown { words += ["--config", try write(radio.settings, "settings.yaml")] }
    for motion in ["mc-arc", "mc-arc-vertical", "mc-walk", "mc-walk-l"] {
      words += ["--scenario", try scenario(motion, radio.name, radio.members)]
    }
    return try fuse.rows(words)
  }

  /// A scenario file with its section `uwb` replaced.
  private func scenario(_ motion: String, _ name: String, _ members: [(key: String, value: Double)]) throws -> String {
    var isRadio = false
    let kept = try RegularFile.text("\(scenarios)/\(motion).yaml").split(separator: "\n").filter { line in
      isRadio = line == "uwb:" || isRadio && (line.hasPrefix(" ") || line.hasPrefix("\t"))
      return !isRadio
    }
    let lines = kept + ["uwb:"] + members.map { "  \($0.key): \($0.value)" }
    return try write(lines.joined(separator: "\n") + "\n", "\(motion)-\(name).yaml")
  }

  private func write(_ text: String, _ name: String) throws -> String {
    let path = "\(folder.path)/\(name)"
    try TextFile.write(text, to: path)
    return path
  }
}

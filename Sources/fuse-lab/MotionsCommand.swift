import ArgumentParser

/// `fuse-lab motions`.
struct MotionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "motions",
    abstract: "The product and the ideal observer on each motion, a new target in every seed: writes docs/motions.md.")

  @Argument(help: "Seeds of each motion; 100: about 40 minutes of processor time.")
  var seeds = 100

  @OptionGroup var fuse: FuseOption

  func run() throws {
    let motions = ["mc-sway", "mc-arc", "mc-arc-vertical", "mc-walk", "mc-walk-l"]
    let found = try fuse.command().succeeded(
      ["eval", "--seeds", "\(seeds)", "--jobs", "\(fuse.jobs)", "--pool", "--format", "markdown"]
        + motions.flatMap { ["--scenario", $0] })
    try Checkout().writePage(
      "motions",
      """
      # Figures by motion, all figures

      Written by `tools/update-motions`: one row per motion and one for all together, from simulated sensors. Every seed has another target (3 to 7 m away, in any
      direction, level within about 23 degrees), another radio and other noise. The last table compares with the ideal observer, which knows the
      true path and the noise model, on the same ranges: a bound for any estimator. Definitions of the figures: `docs/metrics.md` and
      `docs/ideal-observer.md`.

      \(String(decoding: found.output, as: UTF8.self))
      """)
  }
}

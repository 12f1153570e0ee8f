import ArgumentParser

@main
struct Fuse: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuse",
    abstract: "Where is the peer? Fuses IMU, camera and UWB ranges of a recording.",
    discussion: """
      EXAMPLES
        fuse run datasets/demo                  find the peers of the demo recording
        fuse run phone -o result --to 12        only its first 12 seconds, into ./result
        fuse run phone --format jsonl | jq .    the stream of updates, one JSON object a line
        fuse inspect phone                      what a recording holds, and what is missing
        fuse simulate --list                    the worlds that can be simulated
        fuse simulate arc -o walk --seed 7      a recording with known truth

      EXIT CODES
        0 done, 2 the data or the run failed (one line "error: ..." on stderr), 64 wrong usage
      """,
    version: "0.1.0",
    subcommands: [RunCommand.self, InspectCommand.self, SimulateCommand.self])
}

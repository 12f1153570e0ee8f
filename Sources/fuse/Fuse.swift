import ArgumentParser

struct Fuse: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuse",
    abstract: "Where is the peer? Fuses IMU, camera and UWB ranges of a recording.",
    discussion: """
      EXAMPLES
        fuse run datasets/demo               find the peers of the demo recording
        fuse run phone -o out --to 12        only its first 12 seconds, into ./out
        fuse run phone --format jsonl        the stream of updates on stdout
        fuse report datasets/demo            the same as a page to look at and scrub through
        fuse inspect phone                   what a recording holds and lacks
        fuse track phone                     tracks from its images, once and for all
        fuse simulate --list                 the worlds that can be simulated
        fuse simulate arc -o walk --seed 7   a recording with known truth
        fuse eval phone                      how far the run is from the truth
        fuse diff golden new                 what changed between two runs
        fuse explain demo-fuse --at 5        why a run said what it said at a moment
        fuse meet phone --name a --peer b    one end of two processes that find each other

      EXIT CODES
        0 done, 1 the answer is no (eval --expect), 2 the data or the run failed (one "error: ..." line on stderr),
        64 wrong usage
      """,
    version: "0.1.0",
    subcommands: [
      RunCommand.self, ReportCommand.self, InspectCommand.self, TrackCommand.self, SimulateCommand.self,
      EvalCommand.self, DiffCommand.self, ExplainCommand.self, BenchmarkCommand.self, TrackingBenchmarkCommand.self,
    ] + sessionCommands)

  /// Commands that need sessions: none where Apple's own Nearby Interaction is.
  private static var sessionCommands: [any ParsableCommand.Type] {
    #if canImport(Darwin)
      []
    #else
      [MeetCommand.self]
    #endif
  }
}

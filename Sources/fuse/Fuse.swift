import ArgumentParser
import RunResults

struct Fuse: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuse",
    abstract: "Where is the peer? Fuses IMU, camera and UWB ranges of a recording.",
    discussion: """
      EXAMPLES
        fuse run datasets/demo               find the peers of the demo recording
        fuse run phone -o out --to 12        only its first 12 seconds, into ./out
        fuse run phone --format jsonl        the stream of updates on stdout
        fuse stream phone | fuse run -       a recording as event lines, and back
        fuse report datasets/demo            the same as an HTML page with a timeline
        fuse inspect phone                   what a recording contains and lacks
        fuse import phone-log -o phone       a recording of another kind: 'fuse import --list'
        fuse export mcap demo-fuse -o x.mcap for Foxglove; 'fuse template --list' prints calibrations to begin with
        fuse track phone                     tracks from its images, written to files
        fuse simulate --list                 the scenarios that can be simulated
        fuse simulate arc -o walk --seed 7   a recording with known truth
        fuse eval phone                      errors of the run against ground truth
        fuse diff golden new                 what changed between two runs
        fuse explain demo-fuse --at 5        why a run published what it did at a time
        fuse serve --replay datasets/demo    sessions over HTTP, and a page to look at
        fuse meet phone --name a --peer b    one end of two processes that find each other

      EXIT CODES
        0 done, 1 differences (diff, eval --expect), 2 the data or the run failed (one "error: ..." line on stderr),
        64 wrong usage
      """,
    version: FuseVersion.current,
    subcommands: [
      RunCommand.self, StreamCommand.self, ReportCommand.self, InspectCommand.self, ImportCommand.self, ExportCommand.self,
      TemplateCommand.self, TrackCommand.self, SimulateCommand.self,
      EvalCommand.self, DiffCommand.self, ExplainCommand.self, BenchmarkCommand.self, TrackingBenchmarkCommand.self,
      ServeCommand.self,
    ] + sessionCommands)

  /// Commands that need sessions: none on Apple's systems, which have their own Nearby Interaction.
  private static var sessionCommands: [any ParsableCommand.Type] {
    #if canImport(Darwin)
      []
    #else
      [MeetCommand.self]
    #endif
  }
}

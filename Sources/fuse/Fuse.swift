import ArgumentParser
import RunResults

struct Fuse: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuse",
    abstract: "Finds peers by UWB ranges, camera and IMU: precision finding on recordings.",
    discussion: """
      EXAMPLES
        fuse run datasets/demo               find the peers of the demo
        fuse run phone -o out --to 12        only its first 12 s, into ./out
        fuse run phone --format jsonl        the stream of updates on stdout
        fuse stream phone | fuse run -       a recording as event lines, and back
        fuse report datasets/demo            an HTML page with a timeline
        fuse report old-fuse new-fuse        several runs on one page, worst first
        fuse inspect phone                   what a recording contains and lacks
        fuse import phone-log -o phone       other kinds: 'fuse import --list'
        fuse export mcap demo-fuse -o x.mcap for Foxglove
        fuse template cam0                   a calibration to begin with
        fuse config --list                   every setting of --config
        fuse track phone                     tracks from its images
        fuse simulate --list                 the scenarios
        fuse simulate arc -o walk --seed 7   a recording with known truth
        fuse eval phone                      errors against ground truth
        fuse diff golden new                 what changed between two runs
        fuse explain demo-fuse --at 5        why it published what it did then
        fuse serve --replay datasets/demo    sessions over HTTP, and a page
        fuse meet phone --name a --peer b    one end of two processes
        fuse manual | man -l -               all of this as a manual page

      EXIT CODES
        0   done
        1   differences (diff, eval --expect)
        2   the data or the run failed: one "error: ..." line on stderr
        64  wrong usage
      """,
    version: FuseVersion.current,
    subcommands: [
      RunCommand.self, StreamCommand.self, ReportCommand.self, InspectCommand.self, ImportCommand.self,
      ExportCommand.self,
      TemplateCommand.self, ConfigCommand.self, TrackCommand.self, SimulateCommand.self,
      EvalCommand.self, DiffCommand.self, ExplainCommand.self, BenchmarkCommand.self, TrackingBenchmarkCommand.self,
      ServeCommand.self,
    ] + sessionCommands + [ManualCommand.self])

  /// Commands that need sessions: none on Apple's systems, which have their own Nearby Interaction.
  private static var sessionCommands: [any ParsableCommand.Type] {
    #if canImport(Darwin)
      []
    #else
      [MeetCommand.self]
    #endif
  }
}

import Datasets
import Foundation
import FuseCommandTestSupport
import RunResults
import TestSupport
import Testing

/// The streams and names that a caller gives: closed, full, gone, no UTF-8.
@Suite struct StreamTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try TinyRecording().write(to: scratch.url.appendingPathComponent("in"))
  }

  private func shell(_ line: String) throws -> FuseProcess.Outcome { try FuseProcess.shell(line, in: scratch.url) }

  /// A file that is opened must not become standard output: the story would be in it.
  @Test(arguments: ["<&- >&-", ">&-", "<&- >&- 2>&-", "<&- 2>&-"])
  func closedStreamsDoNotReachTheResult(_ closed: String) throws {
    #expect(try shell("$FUSE run in -o whole >story 2>messages").status == 0)
    #expect(try shell("$FUSE run in -o out \(closed)").status == 0)
    for name in ["updates.jsonl", "trajectory.tum", "result.json"] {
      #expect(try scratch.bytes("out/\(name)") == scratch.bytes("whole/\(name)"))
    }
  }

  @Test(arguments: ["2>/dev/full", "2>&-"]) func aMessageThatCannotBeToldChangesNoExitCode(_ stream: String) throws {
    #expect(try shell("$FUSE run /nonexistent \(stream)").status == 2)
    #expect(try shell("$FUSE run \(stream)").status == 64)
    // With a warning on the way.
    #expect(try shell("mkdir in/mav0/other && $FUSE run in -o out \(stream) >/dev/null").status == 0)
  }

  @Test(arguments: ["--format jsonl", ""]) func aClosedPipeEndsQuietly(_ format: String) throws {
    let run = try shell("$FUSE run in -o out \(format) | head -1; exit ${PIPESTATUS[0]}")
    #expect(run.status == 0 && run.stderr.isEmpty, "\(run.stderr)")
    #expect(run.stdout.split(separator: "\n").count == 1)
    #expect(try RunFolder(path: scratch.path("out")).updates.count > 100)
  }

  @Test func aNameThatIsNoUTF8Opens() throws {
    let run = try shell(
      "cp -r in $'re\\xffcording' && $FUSE run $'re\\xffcording' -o out --quiet && $FUSE inspect $'re\\xffcording'")
    #expect(run.status == 0, "\(run.stderr)")
    // The default name of the output is readable.
    #expect(try shell("$FUSE run $'re\\xffcording' --quiet && ls -d re*-fuse").status == 0)
  }

  /// A few lines that unfold into billions of values.
  @Test(.enabled(if: SharedData.isHere, "\(SharedData.message)"))
  func aliasesEndAtOnce() throws {
    let cases = SharedData.recording("cases").path
    for arguments in [
      ["run", "in", "-o", "out", "--config", "\(cases)/cfg-aliaskey.yaml"],
      ["simulate", "\(cases)/scn-aliaskey.yaml", "-o", "made"],
    ] {
      let run = try FuseProcess.run(arguments, in: scratch.url, limit: 20)
      #expect(!run.hung && run.status == 2)
      #expect(run.errorLines.count == 1 && run.stderr.contains("yaml:2: found an alias"), "\(run.stderr)")
    }
  }

  /// A radio that is silent throughout.
  @Test(.enabled(if: SharedData.isHere, "\(SharedData.message)"))
  func aScenarioWithoutRangesMakesARecordingThatIsRead() throws {
    let scenario = SharedData.recording("cases/scn-no-ranges.yaml").path
    let made = try FuseProcess.run(["simulate", scenario, "-o", "made"], in: scratch.url)
    #expect(made.status == 0, "\(made.stderr)")
    let run = try FuseProcess.run(["run", "made", "-o", "out"], in: scratch.url)
    #expect(run.status == 0 && run.stdout.contains("no ranges received"), "\(run.stderr)")
  }

  /// What stands at the temporary name is not followed.
  @Test func aLinkOrPipeAtTheTemporaryNameIsReplaced() throws {
    for what in ["ln -s elsewhere .out.partial", "mkfifo .out.partial"] {
      let run = try shell(
        "rm -rf out elsewhere && mkdir out elsewhere && \(what) && $FUSE run in -o out --quiet"
          + " && ls -A elsewhere && test ! -e .out.partial && ls -A out")
      #expect(run.status == 0 && !run.hung, "\(run.stderr)")
      #expect(
        run.stdout.split(separator: "\n").map(String.init).sorted()
          == ["result.json", "timing.json", "trajectory.tum", "trajectory_covariance.csv", "updates.jsonl"])
    }
  }

  @Test func theReadersRefuseAMixture() throws {
    #expect(try shell("$FUSE run in -o a --quiet && $FUSE run in -o b --quiet --to 6").status == 0)
    #expect(try shell("$FUSE eval a --truth in 2>&1 | grep -q 'no ground truth'; $FUSE diff a a").status == 0)
    #expect(try shell("cp a/updates.jsonl b").status == 0)
    for command in ["report b", "diff b a", "explain b --at 3", "eval b --truth in"] {
      let run = try shell("$FUSE \(command)")
      #expect(
        run.status == 2 && run.stderr.contains("--unverified") && run.errorLines.count == 1, "\(command): \(run.stderr)"
      )
    }
    #expect(try shell("$FUSE report b --unverified -o page.html").status == 0)
  }

  /// Legal JSON with numbers that no result has.
  @Test(arguments: ["report", "diff a", "explain --at 3"]) func extremeNumbersAreOneError(_ command: String) throws {
    #expect(try shell("$FUSE run in -o a --quiet && cp -r a b").status == 0)
    let line =
      #"{"timestamp":1700000000000000000,"peer":"tag","horizontalAngle":1e300,"horizontalAngleInterval":[-1e308,1e308]}"#
    try Data((line + "\n").utf8).write(to: scratch.url.appendingPathComponent("b/updates.jsonl"))
    let words = command.split(separator: " ")
    let run = try shell("$FUSE \(words[0]) b --unverified \(words.dropFirst().joined(separator: " "))")
    #expect(run.status == 2 && run.errorLines.count == 1, "\(run.stderr)")
    #expect(run.stderr.contains("b/updates.jsonl:1:"))
  }

  /// A recording whose writing was ended is not taken for one.
  @Test func anUnfinishedRecordingIsRefused() throws {
    try Data().write(to: scratch.url.appendingPathComponent("in/mav0/.unfinished"))
    for command in ["run", "inspect", "eval"] {
      let run = try FuseProcess.run([command, "in"], in: scratch.url)
      #expect(run.status == 2 && run.stderr.contains("not written to its end"), "\(run.stderr)")
    }
  }

  /// SIGTERM while a report runs its recording: the temporary folder goes, too.
  @Test func aReportThatIsEndedLeavesNothing() throws {
    let demo = Repository.root.appendingPathComponent("datasets/demo").path
    let run = try shell(
      "mkdir tmp; TMPDIR=$PWD/tmp $FUSE report \(demo) -o page.html & sleep 0.4; kill -TERM $!; wait $!; echo $?; ls -A tmp"
    )
    #expect(run.stdout == "143\n", "\(run.stdout)")
  }
}

import ArgumentParser
import Datasets
import Foundation
import Report
import RunResults

/// `fuse report <run or recording>...`.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Draws runs as one HTML file with a timeline.",
    discussion: """
      Takes output folders of 'fuse run', or recordings, which are run first. Several are on one page, the worst first. \
      Ground truth, headings and the places where a peer may be come from the run's recording, which is replayed, where \
      it is available; so do the camera's tracks, over its pictures where there are any.

      EXAMPLES
        fuse report datasets/demo
        fuse report phone-fuse -o phone.html
        fuse report phone-fuse --truth recordings/phone
        fuse report before-fuse after-fuse -o both.html
      """)

  @Argument(help: "Output folders of runs, or recordings.")
  var folders: [String]

  @Option(
    name: .shortAndLong, help: "The file to write. (default: ./<name>-report.html, of several ./report.html)")
  var output: String?

  @Option(help: ArgumentHelp("The recording that the run was made from.", valueName: "recording"))
  var truth: String?

  @Flag(help: "Read an output folder even if its files are not those of one run.")
  var unverified = false

  func validate() throws {
    if folders.contains("") || output?.isEmpty == true || truth?.isEmpty == true {
      throw ValidationError("A file or folder needs a name.")
    }
    if truth != nil, folders.count > 1 { throw ValidationError("--truth belongs to one run.") }
  }

  func run() throws {
    try Failure.reporting {
      let names = ReportReading.names(of: folders)
      let path = output ?? (folders.count == 1 ? "./\(names[0])-report.html" : "./report.html")
      let file = try OutputFile(path: path, inputs: folders + (truth.map { [$0] } ?? []))
      let inputs = try ReportReading(truth: truth, isUnverified: unverified).inputs(folders, names: names)
      let page = ReportPage.html(ReportPage.ordered(inputs))
      try file.write(page)
      try file.commit()
      var standardOutput = StandardOutput()
      try standardOutput.line("written to \(path): \(Words.fixed(Double(page.count) / 1000, 0)) kB")
    }
  }
}

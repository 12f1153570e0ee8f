import ArgumentParser

extension Template: ExpressibleByArgument {}

/// `fuse template <sensor>`.
struct TemplateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "template",
    abstract: "A complete, commented sensor.yaml, dataset.yaml or map to begin with.",
    discussion: """
      EXAMPLES
        fuse template --list
        fuse template cam0 > walk/mav0/cam0/sensor.yaml
        fuse template map > map.yaml
      """)

  @Flag(help: "The templates, one a line.")
  var list = false

  @Argument(help: "Which one.")
  var name: Template?

  func validate() throws {
    guard list || name != nil else {
      throw ValidationError("Name one: \(Template.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
  }

  func run() throws {
    try Failure.reporting {
      var standardOutput = StandardOutput()
      if list {
        for template in Template.allCases { try standardOutput.line("\(template.rawValue): \(template.place)") }
      } else if let name {
        for line in name.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
          try standardOutput.line(String(line))
        }
      }
    }
  }
}

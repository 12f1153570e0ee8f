import ArgumentParser

@main
struct Fuse: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "fuse", abstract: "Camera-assisted precision finding.")
}

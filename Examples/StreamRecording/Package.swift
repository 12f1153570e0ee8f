// swift-tools-version: 6.0
// A client of the live service.
import PackageDescription

let package = Package(
  name: "stream-recording",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "fuse", path: "../..")],
  targets: [
    .executableTarget(name: "StreamRecording", dependencies: [.product(name: "FuseClient", package: "fuse")])
  ]
)

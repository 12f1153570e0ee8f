// swift-tools-version: 6.0
// An app written as for a phone, and a program that runs it on a recording.
import PackageDescription

let package = Package(
  name: "finder",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "fuse", path: "../..")],
  targets: [
    // The app: uses Apple's API only.
    .target(name: "FinderApp", dependencies: [.product(name: "NearbyInteraction", package: "fuse")]),
    // Replaces the phone: opens the recording and plays it.
    .executableTarget(
      name: "finder", dependencies: ["FinderApp", .product(name: "NearbyInteraction", package: "fuse")]),
    // The app's tests: docs/test-your-finder.md.
    .testTarget(
      name: "FinderTests", dependencies: ["FinderApp", .product(name: "NearbyInteraction", package: "fuse")]),
    // The tutorial's code, line by line.
    .executableTarget(name: "find-a-tag", dependencies: [.product(name: "NearbyInteraction", package: "fuse")]),
  ]
)

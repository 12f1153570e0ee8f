// swift-tools-version: 6.1
// Modules and their permitted dependencies: see CONTRIBUTING.md.
import PackageDescription

// Apple's systems have their own NearbyInteraction, ARKit and simd: there the modules of these names, and those that
// depend on them, are not built; `NearbyInteractionReplay` contains the sources. FUSE_AS_DARWIN=1 does the same
// elsewhere.
#if canImport(Darwin)
  let isOneModule = true
  let replayFolders = ["ARKit", "NearbySessions", "RecordedDevices"]
#else
  let isOneModule = Context.environment["FUSE_AS_DARWIN"] != nil
  let replayFolders = ["ARKit", "NearbySessions", "RecordedDevices", "simd"]
#endif
let sessionModules: Set<String> =
  isOneModule
  ? [
    "simd", "ARKit", "NearbySessions", "NearbyInteraction", "RecordedDevices", "NearbyInteractionTests", "PhoneApps",
    "phone-program", "OwnNames", "OwnNamesKit", "top-level-program", "FuzzTargets", "FuzzTargetsTests",
  ] : []
let replay: Target =
  isOneModule
  ? .target(
    name: "NearbyInteractionReplay",
    dependencies: ["PrecisionFinding", "Datasets", "Simulation", "SensorData", "Geometry"], path: "Sources",
    sources: replayFolders,
    swiftSettings: [.define("ONE_MODULE")])
  : .target(
    name: "NearbyInteractionReplay", dependencies: ["NearbyInteraction", "RecordedDevices", "ARKit", "simd"])

/// A product that only the commands, the service and their tests need.
func command(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Commands"]))
}

/// The test targets of a module, one for each lane, with what that lane alone imports; they share `<module>TestSupport`
/// and `shared`.
func lanes(
  _ module: String, _ lanes: KeyValuePairs<String, [Target.Dependency]>, shared: [Target.Dependency]
) -> [Target] {
  lanes.map { lane, own in
    .testTarget(
      name: module + lane, dependencies: [.init(stringLiteral: module + "TestSupport")] + shared + own)
  }
}

let package = Package(
  name: "fuse",
  platforms: [.macOS(.v15)],
  products: [
    // With the modules whose public types are in the API.
    .library(
      name: "PrecisionFinding",
      targets: ["PrecisionFinding", "Estimator", "SensorData", "Geometry", "Ranging", "Premises"]),
    .library(
      name: "NearbyInteraction",
      targets: [
        "NearbyInteraction", "RecordedDevices", "NearbySessions", "ARKit", "simd", "PrecisionFinding", "SensorData",
        "Geometry",
      ]),
    .library(
      name: "NearbyInteractionReplay",
      targets: ["NearbyInteractionReplay", "PrecisionFinding", "SensorData", "Geometry"]),
    .library(name: "FuseCaptureFormat", targets: ["FuseCaptureFormat", "SensorData", "Geometry"]),
    .library(name: "FuseClient", targets: ["FuseClient", "FuseCaptureFormat", "SensorData", "Geometry"]),
    .library(name: "PeerDiscovery", targets: ["PeerDiscovery"]),
    .executable(name: "fuse", targets: ["fuse"]),
    .executable(name: "fuse-serve", targets: ["fuse-serve"]),
  ],
  // An app's tests need none of what the commands and the service do: `.package(..., traits: [])` leaves it unfetched.
  traits: [
    .default(enabledTraits: ["Commands"]),
    .trait(name: "Commands", description: "The commands fuse and fuse-serve, and PeerDiscovery."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.3"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // C ABI over Eigen: covariance kernels and small solves.
    .target(
      name: "CLinearAlgebra", path: "Shim/LinearAlgebra",
      cxxSettings: [.define("NDEBUG", .when(configuration: .release))],
      linkerSettings: [.linkedLibrary("m")]),
    // C ABI over Eigen: block matrices within an envelope, for least squares along a recording.
    .target(
      name: "CBlockCholesky", path: "Shim/BlockCholesky",
      cxxSettings: [.define("NDEBUG", .when(configuration: .release))],
      linkerSettings: [.linkedLibrary("m")]),
    // C ABI: the measurement update of the Gaussian sum, fits of a link and of two views; for baseline processors and for AVX2.
    .target(
      name: "CGaussianSum", path: "Shim/GaussianSum",
      cxxSettings: [.define("NDEBUG", .when(configuration: .release))],
      linkerSettings: [.linkedLibrary("m")]),
    // C ABI over libpng and libjpeg: 8-bit grey images from and to PNG and JPEG.
    .target(
      name: "CImages", path: "Shim/Images", linkerSettings: [.linkedLibrary("png"), .linkedLibrary("jpeg")]),
    // C ABI over OpenCV: pyramids, corners, optical flow. Libraries by name: pkg-config would link all 55.
    .target(
      name: "CVision", path: "Shim/Vision", exclude: ["system"],
      cxxSettings: [.headerSearchPath("system"), .define("NDEBUG", .when(configuration: .release))],
      linkerSettings: ["core", "imgproc", "video"].map { .linkedLibrary("opencv_\($0)") }),
    // C ABI over Eigen: fixed work as the unit of benchmark times.
    .target(
      name: "CReferenceKernel", path: "Shim/ReferenceKernel",
      cxxSettings: [.define("NDEBUG", .when(configuration: .release))],
      linkerSettings: [.linkedLibrary("m")]),
    // C ABI over libmosquitto, as the next.
    .target(name: "CMosquitto", path: "Shim/MQTT", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    // C ABI over hiredis, which is needed neither to build nor to run: opened when it is asked for.
    .target(name: "CRedis", path: "Shim/Redis", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    // libcrypto, for the hashes of the input files.
    .systemLibrary(name: "CDigest", path: "Shim/Digest", providers: [.apt(["libssl-dev"])]),
    // Two renames that POSIX does not have: names that change places, names that nothing has yet.
    .systemLibrary(name: "CFileExchange", path: "Shim/FileExchange"),

    .target(name: "LeastSquares"),
    // One reader and one writer of JSON, without Foundation.
    .target(name: "JSONText"),
    .target(name: "Geometry"),
    // Numbers, tables and messages for people.
    .target(name: "Wording", dependencies: ["Geometry"]),
    .target(name: "SensorData", dependencies: ["Geometry"]),
    .target(name: "Images", dependencies: ["CImages"]),
    .target(name: "Inertial", dependencies: ["SensorData", "Geometry"]),
    .target(name: "CameraGeometry", dependencies: ["SensorData", "Geometry", "LeastSquares", "CGaussianSum"]),
    .target(name: "FrontEnd", dependencies: ["CameraGeometry", "Images", "SensorData", "Geometry", "CVision"]),
    .target(name: "Ranging", dependencies: ["SensorData", "Geometry", "LeastSquares", "CGaussianSum"]),
    .target(
      name: "Estimator",
      dependencies: ["Inertial", "CameraGeometry", "SensorData", "Geometry", "LeastSquares", "CLinearAlgebra"]),
    .target(
      name: "Smoothing",
      dependencies: [
        "Estimator", "Inertial", "Ranging", "CameraGeometry", "SensorData", "Geometry", "LeastSquares",
        "CBlockCholesky",
      ]),
    .target(
      name: "Premises",
      dependencies: ["Ranging", "CameraGeometry", "SensorData", "Geometry", "LeastSquares", "CGaussianSum"]),
    .target(
      name: "PrecisionFinding",
      dependencies: ["Estimator", "Ranging", "Premises", "SensorData", "Geometry", "LeastSquares"]),
    .target(
      name: "Datasets",
      dependencies: [
        "FuseCaptureFormat", "JSONText", "Wording", "SensorData", "Geometry", "LeastSquares", "Images", "CDigest",
        "CFileExchange", "CCompression", .product(name: "Yams", package: "Yams"),
      ]),
    // Event lines: the writer builds wherever Swift does; the reader is the command's and the service's.
    .target(name: "FuseCaptureFormat", dependencies: ["JSONText", "SensorData", "Geometry"]),
    .target(name: "FuseClient", dependencies: ["FuseCaptureFormat", "SensorData"]),
    .target(
      name: "EventLines",
      dependencies: ["FuseCaptureFormat", "Datasets", "JSONText", "Wording", "SensorData", "Geometry"]),
    .target(name: "Exporting", dependencies: ["RunResults", "Datasets", "JSONText", "SensorData", "Geometry"]),
    .target(
      name: "Importing",
      dependencies: [
        "Datasets", "JSONText", "Wording", "Premises", "SensorData", "Geometry", "LeastSquares", "CCompression",
      ]),
    .target(
      name: "Simulation",
      dependencies: ["SensorData", "Geometry", "Images", "Datasets", .product(name: "Yams", package: "Yams")],
      resources: [.embedInCode("Scenarios")]),
    .target(name: "Evaluation", dependencies: ["SensorData", "Geometry", "LeastSquares"]),
    .target(
      name: "Settings",
      dependencies: ["PrecisionFinding", "Datasets", "JSONText", "Wording", .product(name: "Yams", package: "Yams")]),
    .target(
      name: "RunResults",
      dependencies: [
        "Settings", "PrecisionFinding", "Premises", "Estimator", "Evaluation", "Datasets", "JSONText", "SensorData",
        "Geometry",
      ]),
    .target(
      name: "Report",
      dependencies: ["RunResults", "Datasets", "JSONText", "Wording", "Evaluation", "SensorData", "Geometry"],
      resources: [.embedInCode("Page")]),
    .target(name: "simd"),
    .target(name: "ARKit", dependencies: ["simd"]),
    .target(
      name: "NearbySessions", dependencies: ["ARKit", "simd", "PrecisionFinding", "SensorData", "Geometry"]),
    // Apple's names of it, and no others.
    .target(name: "NearbyInteraction", dependencies: ["NearbySessions", "ARKit", "simd"]),
    .target(
      name: "RecordedDevices", dependencies: ["NearbySessions", "Datasets", "Simulation", "SensorData"]),
    replay,
    .target(
      name: "PeerDiscovery",
      dependencies: [command("NIOCore", "swift-nio"), command("NIOPosix", "swift-nio")]),
    // The options of `serve` and `meet`, for the executable that is called and the one that does the work.
    .target(
      name: "ServiceArguments",
      dependencies: ["EventLines", command("ArgumentParser", "swift-argument-parser")]),
    .executableTarget(
      name: "fuse",
      dependencies: [
        "PrecisionFinding", "Premises", "Smoothing", "Estimator", "Datasets", "Importing", "Exporting", "Simulation",
        "RunResults", "Settings", "Evaluation", "Report", "FrontEnd", "Images", "EventLines", "FuseCaptureFormat",
        "JSONText", "Wording", "SensorData", "Geometry", "ServiceArguments", "CReferenceKernel",
        command("ArgumentParser", "swift-argument-parser"),
      ]),
    // zlib, for packed bodies of requests, and for zip files.
    .systemLibrary(name: "CCompression", path: "Shim/Compression", providers: [.apt(["zlib1g-dev"])]),
    // Sessions and their log, without HTTP.
    .target(
      name: "LiveSessions",
      dependencies: [
        "EventLines", "FuseCaptureFormat", "RunResults", "Settings", "PrecisionFinding", "Datasets", "JSONText",
        "SensorData", "Geometry", "CRedis",
      ]),
    // The service and what else needs SwiftNIO, apart from `fuse`, which builds without.
    .executableTarget(
      name: "fuse-serve",
      dependencies: [
        "LiveSessions", "EventLines", "RunResults", "Settings", "Report", "Exporting", "Datasets", "JSONText",
        "Wording",
        "SensorData", "Geometry", "NearbyInteraction", "RecordedDevices", "PeerDiscovery",
        "ServiceArguments", "CDigest",
        "CMosquitto",
        command("Hummingbird", "hummingbird"),
        command("HummingbirdCore", "hummingbird"),
        command("HummingbirdHTTP2", "hummingbird"), command("NIOCore", "swift-nio"),
        command("NIOConcurrencyHelpers", "swift-nio"), command("NIOHTTP1", "swift-nio"),
        command("NIOWebSocket", "swift-nio"),
        command("NIOHTTPTypes", "swift-nio-extras"),
        command("NIOHTTPTypesHTTP1", "swift-nio-extras"),
        command("NIOSSL", "swift-nio-ssl"), command("HTTPTypes", "swift-http-types"),
        command("Logging", "swift-log"),
        command("ServiceLifecycle", "swift-service-lifecycle"),
        command("UnixSignals", "swift-service-lifecycle"),
        command("ArgumentParser", "swift-argument-parser"),
      ],
      resources: [.embedInCode("Page")]),
    // Instruments of the makers; no product, in no package.
    .executableTarget(
      name: "fuse-lab",
      dependencies: [
        "PrecisionFinding", "Smoothing", "FrontEnd", "Images", "Simulation", "Evaluation", "RunResults", "Datasets",
        "JSONText", "Wording", "LeastSquares", "SensorData", "Geometry", "CDigest",
        command("ArgumentParser", "swift-argument-parser"),
      ]),

    // Tests: `<Module>Tests` are fast, `<Module>Statistics` draw many trials, `<Module>Recordings` use processes,
    // recordings, images or the clock. What several of them share is in the support targets.
    .target(
      name: "TestSupport", dependencies: ["Simulation", "Geometry", "LeastSquares"],
      path: "Tests/TestSupport"),
    .target(
      name: "SimulationTestSupport", dependencies: ["Simulation", "SensorData", "Geometry"],
      path: "Tests/SimulationTestSupport"),
    .target(name: "FrontEndTestSupport", dependencies: ["Images", "Simulation"], path: "Tests/FrontEndTestSupport"),
    .target(
      name: "RangingTestSupport", dependencies: ["Ranging", "Evaluation", "SensorData", "Geometry", "TestSupport"],
      path: "Tests/RangingTestSupport"),
    .target(
      name: "EstimatorTestSupport",
      dependencies: ["Estimator", "Inertial", "CameraGeometry", "Simulation", "SensorData", "Geometry"],
      path: "Tests/EstimatorTestSupport"),
    .target(
      name: "SmoothingTestSupport",
      dependencies: [
        "Smoothing", "PrecisionFinding", "Estimator", "Inertial", "CameraGeometry", "Simulation", "Evaluation",
        "SensorData", "Geometry", "LeastSquares",
      ], path: "Tests/SmoothingTestSupport"),
    .target(
      name: "PrecisionFindingTestSupport",
      dependencies: ["PrecisionFinding", "Ranging", "Simulation", "SensorData", "Geometry", "TestSupport"],
      path: "Tests/PrecisionFindingTestSupport"),
    .target(
      name: "EvaluationTestSupport", dependencies: ["Evaluation", "Simulation", "Geometry", "TestSupport"],
      path: "Tests/EvaluationTestSupport"),
    .target(
      name: "DatasetsTestSupport", dependencies: ["Datasets", "SensorData"], path: "Tests/DatasetsTestSupport"),
    .target(
      name: "ReportTestSupport",
      dependencies: ["Report", "RunResults", "Datasets", "JSONText", "Evaluation", "SensorData", "Geometry"],
      path: "Tests/ReportTestSupport"),
    .target(
      name: "FuseCommandTestSupport", dependencies: ["TestSupport"], path: "Tests/FuseCommandTestSupport"),

    // What reads bytes from outside, one input at a time. Part of every build, so that a change of an API reaches it.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "Datasets", "JSONText", "Simulation", "Evaluation", "Report", "RunResults", "RecordedDevices", "PeerDiscovery",
        "Images", "SensorData", "Geometry", command("NIOCore", "swift-nio"),
        command("NIOEmbedded", "swift-nio"),
      ], path: "Fuzz/Targets"),
    .testTarget(name: "FuzzTargetsTests", dependencies: ["FuzzTargets"]),

    // Apps written as for a phone, and a program whose main thread plays for them.
    .target(
      name: "PhoneApps", dependencies: ["NearbyInteraction", "ARKit", "simd"], path: "Tests/PhoneApps",
      swiftSettings: [.swiftLanguageMode(.v5)]),
    // Apps with names of their own for what this package names, and a program that plays them at its top level.
    .target(name: "OwnNamesKit", path: "Tests/OwnNamesKit"),
    .target(name: "OwnNames", dependencies: ["NearbyInteraction", "OwnNamesKit"], path: "Tests/OwnNames"),
    .executableTarget(
      name: "top-level-program", dependencies: ["OwnNames", "NearbyInteraction", "RecordedDevices"],
      path: "Tests/TopLevelProgram"),
    .executableTarget(
      name: "phone-program", dependencies: ["PhoneApps", "NearbyInteraction", "RecordedDevices"],
      path: "Tests/PhoneProgram"),

    .testTarget(
      name: "TestSupportTests", dependencies: ["TestSupport", "Simulation", "LeastSquares"]),
    .testTarget(name: "LeastSquaresTests", dependencies: ["LeastSquares", "Simulation"]),
    .testTarget(name: "GeometryTests", dependencies: ["Geometry", "Simulation", "TestSupport"]),
    .testTarget(name: "SensorDataTests", dependencies: ["SensorData", "Geometry"]),
    .testTarget(name: "ImagesTests", dependencies: ["Images", "CImages", "Simulation", "TestSupport"]),
    .testTarget(
      name: "InertialTests", dependencies: ["Inertial", "Simulation", "SensorData", "Geometry", "TestSupport"]),
    .testTarget(
      name: "CameraGeometryTests",
      dependencies: ["CameraGeometry", "Simulation", "SensorData", "Geometry", "LeastSquares", "TestSupport"]),
    .testTarget(name: "PeerDiscoveryTests", dependencies: ["PeerDiscovery"]),
    .testTarget(name: "JSONTextTests", dependencies: ["JSONText", "Simulation"]),
    .testTarget(
      name: "RunResultsTests",
      dependencies: [
        "RunResults", "Datasets", "JSONText", "Simulation", "SensorData", "Geometry", "DatasetsTestSupport",
      ]),
    .testTarget(
      name: "EventLinesTests",
      dependencies: ["EventLines", "FuseCaptureFormat", "Datasets", "JSONText", "SensorData", "Geometry"]),
    .testTarget(
      name: "FuseCaptureFormatTests", dependencies: ["FuseCaptureFormat", "EventLines", "SensorData", "Geometry"],
      resources: [.embedInCode("Golden")]),
    .testTarget(
      name: "LiveSessionsTests",
      dependencies: ["LiveSessions", "RunResults", "Datasets", "JSONText", "Simulation"]),
    .testTarget(name: "FuseClientTests", dependencies: ["FuseClient"]),
    .testTarget(
      name: "FuseServeTests",
      dependencies: [
        "fuse-serve", command("NIOCore", "swift-nio"),
        command("NIOEmbedded", "swift-nio"), command("NIOWebSocket", "swift-nio"),
        command("NIOHTTPTypes", "swift-nio-extras"),
      ]),
    .testTarget(
      name: "FuseLabTests", dependencies: ["fuse-lab", "Simulation", "Evaluation", "JSONText", "TestSupport"]),
    .testTarget(
      name: "ImportingTests",
      dependencies: ["Importing", "Datasets", "JSONText", "SensorData", "Geometry", "TestSupport"]),
    .testTarget(
      name: "PremisesTests",
      dependencies: ["Premises", "Ranging", "Simulation", "SensorData", "Geometry", "LeastSquares"]),
    .testTarget(
      name: "NearbyInteractionTests",
      dependencies: [
        "NearbyInteraction", "RecordedDevices", "ARKit", "simd", "PrecisionFinding", "Simulation", "SensorData",
        "Geometry", "TestSupport", "PhoneApps", "phone-program", "top-level-program",
      ]),
    .testTarget(name: "NearbyInteractionReplayTests", dependencies: ["NearbyInteractionReplay"]),
  ]
    + lanes(
      "FrontEnd", ["Tests": ["CameraGeometry"], "Recordings": []],
      shared: ["FrontEnd", "Images", "Simulation", "SensorData", "Geometry"])
    + lanes(
      "Ranging", ["Tests": ["LeastSquares"], "Statistics": []],
      shared: ["Ranging", "Evaluation", "Simulation", "SensorData", "Geometry", "TestSupport"])
    + lanes(
      "Estimator",
      [
        "Tests": ["Inertial", "CameraGeometry", "Simulation"],
        "Statistics": ["Inertial", "CameraGeometry", "Simulation"], "Recordings": ["Datasets"],
      ], shared: ["Estimator", "SensorData", "Geometry", "TestSupport"])
    + lanes(
      "Smoothing", ["Tests": ["Estimator", "CameraGeometry", "LeastSquares", "TestSupport"], "Statistics": []],
      shared: ["Smoothing", "PrecisionFinding", "Inertial", "Simulation", "SensorData", "Geometry"])
    + lanes(
      "PrecisionFinding", ["Tests": ["Estimator"], "Statistics": []],
      shared: ["PrecisionFinding", "Ranging", "Simulation", "SensorData", "Geometry", "TestSupport"])
    + lanes(
      "Datasets", ["Tests": ["Images", "Simulation", "Geometry"], "Recordings": ["TestSupport"]],
      shared: ["Datasets", "SensorData"])
    + lanes(
      "Simulation",
      [
        "Tests": ["Datasets", "SensorData", "TestSupport"], "Statistics": [],
        "Recordings": ["Images", "Datasets", "SensorData", "TestSupport"],
      ], shared: ["Simulation", "Geometry"])
    + lanes(
      "Evaluation", ["Tests": ["LeastSquares"], "Statistics": []],
      shared: ["Evaluation", "Simulation", "SensorData", "Geometry", "TestSupport"])
    + lanes(
      "Report",
      ["Tests": ["RunResults", "Datasets", "JSONText", "Evaluation", "Simulation", "SensorData"], "Recordings": []],
      shared: ["Report", "Geometry"])
    + lanes(
      "FuseCommand",
      [
        "Tests": ["RunResults", "Settings", "Wording", "JSONText", "Exporting", "PrecisionFinding"],
        "Recordings": ["RunResults", "Images", "Evaluation"],
      ],
      shared: ["fuse", "Estimator", "Datasets", "Simulation", "SensorData", "Geometry", "TestSupport"]),
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// The fuzz targets on inputs of libFuzzer, which only their own build links: tools/fuzz.
if Context.environment["FUSE_FUZZ"] != nil {
  package.products.append(.executable(name: "fuse-fuzz", targets: ["fuse-fuzz"]))
  package.targets += [
    .target(name: "CFuzzer", path: "Fuzz/CFuzzer"),
    .executableTarget(name: "fuse-fuzz", dependencies: ["CFuzzer", "FuzzTargets"], path: "Fuzz/Driver"),
  ]
}

package.products.removeAll { sessionModules.contains($0.name) }
package.targets.removeAll { sessionModules.contains($0.name) }
for target in package.targets {
  target.dependencies.removeAll { dependency in
    if case .byNameItem(let name, _) = dependency { sessionModules.contains(name) } else { false }
  }
  if !sessionModules.isEmpty, target.name == "fuse-serve" { target.exclude.append("Meet") }
  if !sessionModules.isEmpty, target.name == "FuseCommandRecordings" { target.exclude.append("MeetTests.swift") }
}
// Statistics are optimised, and the fast tests that compute much themselves. The others are not, which saves build
// time: most of their run time is spent in the modules.
let computing: Set<String> = [
  "EvaluationTests", "SimulationTests", "SimulationRecordings", "FrontEndTests", "FrontEndRecordings", "EstimatorTests",
]
for target in package.targets
where target.type == .test && !target.name.hasSuffix("Statistics") && !computing.contains(target.name) {
  target.swiftSettings = [.unsafeFlags(["-Onone"])]
}

import Datasets
import DatasetsTestSupport
import Foundation
import Testing

/// What a user names as an output: regular files are replaced whole, devices and FIFOs written through, inputs refused.
@Suite struct OutputFileTests {
  private let folder = try! Fixture(isEmpty: true)
  private var root: String { folder.folder.path }

  private func write(_ name: String, _ text: String, inputs: [String] = []) throws {
    let file = try OutputFile(path: folder.path(name), inputs: inputs)
    try file.write(Array(text.utf8))
    try file.commit()
  }

  private func kind(_ name: String) -> mode_t {
    var status = stat()
    return lstat(folder.path(name), &status) == 0 ? status.st_mode & S_IFMT : 0
  }

  @Test func aLinkIsFollowedToItsFile() throws {
    try folder.write("deep/file", "old")
    symlink("deep/file", folder.path("link"))
    try write("link", "new")
    #expect(kind("link") == S_IFLNK)
    #expect(try folder.text("deep/file") == "new")
    symlink("nowhere", folder.path("dangling"))
    #expect(throws: OutputError.self) { try write("dangling", "new") }
    #expect(kind("dangling") == S_IFLNK && kind("nowhere") == 0)
  }

  @Test func aDeviceIsWrittenThrough() throws {
    // A device of this test's own would need a superuser: a link to the null device is followed to it.
    symlink("/dev/null", folder.path("null"))
    try write("null", "gone")
    var status = stat()
    #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    #expect(kind("null") == S_IFLNK)
  }

  @Test(.timeLimit(.minutes(1))) func aFIFOIsWrittenThrough() throws {
    mkfifo(folder.path("pipe"), 0o600)
    let reader = open(folder.path("pipe"), O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    try write("pipe", "through")
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(reader, &bytes, 64)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "through")
    #expect(kind("pipe") == S_IFIFO)
  }

  /// Without a reader it would wait for good.
  @Test(.timeLimit(.minutes(1))) func aFIFOWithoutAReaderIsAnError() throws {
    mkfifo(folder.path("pipe"), 0o600)
    let error = #expect(throws: OutputError.self) { try write("pipe", "through") }
    #expect(error?.description.contains("start its reader") == true)
  }

  @Test func socketsAndFoldersStay() throws {
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = "/tmp/fuse-\(UUID().uuidString.prefix(8)).socket"
    defer { unlink(path) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    symlink(path, folder.path("socket"))
    mkdir(folder.path("inner"), 0o700)
    for name in ["socket", "inner"] {
      #expect(throws: OutputError.self, "\(name)") { try OutputFile(path: folder.path(name), inputs: []) }
    }
  }

  @Test(arguments: [
    "dataset.yaml", "mav0/imu0/data.csv", "mav0/cam0/new.csv", "result.json", "updates.jsonl", "camchain.yaml",
  ])
  func inputsOfAFolderAreRefused(_ name: String) throws {
    try folder.write("recording/dataset.yaml", "keep")
    try folder.write("recording/mav0/imu0/data.csv", "keep")
    mkdir(folder.path("recording/mav0/cam0"), 0o700)
    symlink("recording", folder.path("link"))
    for route in ["recording/", "link/", "recording/mav0/../"] {
      #expect(throws: OutputError.input(path: folder.path(route + name))) {
        try write(route + name, "new", inputs: [folder.path("link")])
      }
    }
    #expect(
      try folder.text("recording/dataset.yaml") == "keep" && folder.text("recording/mav0/imu0/data.csv") == "keep")
  }

  @Test func aFileInputIsRefusedUnderAnyName() throws {
    try folder.write("settings", "keep")
    link(folder.path("settings"), folder.path("second"))
    symlink("settings", folder.path("third"))
    for name in ["settings", "second", "third"] {
      #expect(throws: OutputError.self, "\(name)") { try write(name, "new", inputs: [folder.path("settings")]) }
    }
    #expect(try folder.text("settings") == "keep")
  }

  @Test func aReportMayLieInTheFolderThatItShows() throws {
    try folder.write("run/updates.jsonl", "")
    for text in ["first", "second"] { try write("run/report.html", text, inputs: [folder.path("run")]) }
    #expect(try folder.text("run/report.html") == "second")
  }
}

import Datasets
import DatasetsTestSupport
import Foundation
import Testing

/// Folders that change all at once: their other files stay, nothing is left behind, two writers do not mix.
@Suite struct StagedFolderTests {
  private let fixture = try! Fixture(isEmpty: true)
  private var root: String { fixture.folder.path }

  /// Files of a folder, relative, sorted.
  private func files(_ name: String) -> [String] {
    let found = FileManager.default.enumerator(atPath: fixture.path(name))?.compactMap { $0 as? String } ?? []
    return found.filter { !RegularFile.isFolder(fixture.path(name) + "/" + $0) }.sorted()
  }

  private func inode(_ name: String) -> UInt64? {
    var status = stat()
    return stat(fixture.path(name), &status) == 0 ? UInt64(status.st_ino) : nil
  }

  private func write(_ name: String, _ files: [String: String], dropping dropped: Set<String> = []) throws {
    let folder = try StagedFolder(path: fixture.path(name))
    for (file, text) in files { try folder.write(Array(text.utf8), to: file) }
    try folder.carryOver { dropped.contains($0) }
    try folder.commit()
  }

  @Test func aNewFolderAppearsWithItsParents() throws {
    try write("a/b/new", ["x/y": "text"])
    #expect(try fixture.text("a/b/new/x/y") == "text")
    #expect(files("") == ["a/b/new/x/y"])
  }

  @Test func theOlderFolderIsWholeUntilCommit() throws {
    try write("f", ["x": "old", "y": "old"])
    let folder = try StagedFolder(path: fixture.path("f"))
    try folder.write(Array("new".utf8), to: "x")
    #expect(try fixture.text("f/x") == "old" && files("f") == ["x", "y"])
    try folder.carryOver { $0 == "y" }
    #expect(files("f") == ["x", "y"])
    try folder.commit()
    #expect(try fixture.text("f/x") == "new" && files("f") == ["x"])
    #expect(files("") == ["f/x"])
  }

  @Test func otherFilesStayTheSame() throws {
    try write("f", ["x": "old", "notes/mine": "mine"])
    symlink("nowhere", fixture.path("f/link"))
    mkfifo(fixture.path("f/pipe"), 0o600)
    mkdir(fixture.path("f/empty"), 0o750)
    let before = inode("f/notes/mine")
    try write("f", ["x": "new"])
    #expect(files("f") == ["link", "notes/mine", "pipe", "x"])
    #expect(inode("f/notes/mine") == before)
    var status = stat()
    #expect(lstat(fixture.path("f/link"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(fixture.path("f/empty"), &status) == 0 && status.st_mode & 0o777 == 0o750)
  }

  @Test func foldersThatLoseAllGo() throws {
    try write("f", ["x/y/z": "old", "k": "kept"])
    try write("f", [:], dropping: ["x/y/z"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.path("f")) == ["k"])
  }

  @Test func withoutCommitNothingIsLeft() throws {
    do {
      let folder = try StagedFolder(path: fixture.path("a/b"))
      try folder.write([1], to: "x")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: root) == [])
    try write("f", ["x": "old"])
    do {
      let folder = try StagedFolder(path: fixture.path("f"))
      try folder.write([1], to: "x")
    }
    #expect(files("") == ["f/x"])
    #expect(try fixture.text("f/x") == "old")
  }

  @Test func onlyOneWriterAtATime() throws {
    for name in ["new", "old"] {
      if name == "old" { try write("old", ["x": "old"]) }
      let first = try StagedFolder(path: fixture.path(name))
      #expect(throws: OutputError.busy(path: fixture.path(name))) { try StagedFolder(path: fixture.path(name)) }
      try first.write([1], to: "x")
      try first.commit()
    }
    #expect(files("") == ["new/x", "old/x"])
  }

  @Test func whatAnEndedProcessLeftIsReplaced() throws {
    try fixture.write(".f.partial/left/over", "half")
    try write("f", ["x": "new"])
    #expect(files("") == ["f/x"])
    try fixture.write(".g.partial", "a file of that name")
    try write("g", ["x": "new"])
    #expect(files("") == ["f/x", "g/x"])
  }

  @Test func whatMustNotBeReplacedEndsIt() throws {
    try fixture.write("f/x", "protected")
    chmod(fixture.path("f/x"), 0o444)
    #expect(throws: OutputError.self) { try write("f", ["x": "new"]) }
    #expect(throws: OutputError.self) { try write("f", [:], dropping: ["x"]) }
    chmod(fixture.path("f/x"), 0o644)
    let folder = try StagedFolder(path: fixture.path("f"), inputs: [fixture.path("f/x")])
    try folder.write(Array("new".utf8), to: "x")
    #expect(throws: OutputError.input(path: fixture.path("f/x"))) { try folder.carryOver { _ in false } }
    #expect(try fixture.text("f/x") == "protected")
    chmod(fixture.path("f"), 0o555)
    #expect(throws: OutputError.self) { try StagedFolder(path: fixture.path("f")) }
    chmod(fixture.path("f"), 0o755)
  }

  @Test func aLinkToAFolderIsFollowed() throws {
    try write("real", ["x": "old"])
    symlink("real", fixture.path("link"))
    try write("link", ["x": "new"])
    var status = stat()
    #expect(lstat(fixture.path("link"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(try fixture.text("real/x") == "new")
  }
}

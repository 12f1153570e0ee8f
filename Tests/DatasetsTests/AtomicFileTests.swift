import Datasets
import DatasetsTestSupport
import Foundation
import Testing

/// Files that appear whole: what stands at their temporary names is never followed, shared or waited for.
@Suite struct AtomicFileTests {
  private let folder = try! Fixture(isEmpty: true)
  private var root: String { folder.folder.path }

  private func write(_ name: String, _ text: String) throws {
    let file = try AtomicFile(folder: root, name: name)
    try file.write(Array(text.utf8))
    try file.commit()
  }

  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: root).sorted() }

  @Test func aLinkAtTheTemporaryNameIsNotFollowed() throws {
    try folder.write("precious", "keep")
    symlink(folder.path("precious"), folder.path(".a.partial"))
    try write("a", "new")
    #expect(try folder.text("precious") == "keep" && folder.text("a") == "new")
    #expect(try names() == ["a", "precious"])
  }

  @Test func aSecondNameOfAnotherFileIsNotWritten() throws {
    try folder.write("precious", "keep")
    link(folder.path("precious"), folder.path(".a.partial"))
    try write("a", "new")
    #expect(try folder.text("precious") == "keep" && folder.text("a") == "new")
  }

  @Test(.timeLimit(.minutes(1))) func aPipeAtTheTemporaryNameIsNotWaitedFor() throws {
    mkfifo(folder.path(".a.partial"), 0o600)
    try write("a", "new")
    // With a reader, opening it would succeed.
    mkfifo(folder.path(".b.partial"), 0o600)
    let reader = open(folder.path(".b.partial"), O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    try write("b", "new")
    #expect(try folder.text("a") == "new" && folder.text("b") == "new")
  }

  @Test func whatAnEndedProcessLeftIsReplaced() throws {
    try folder.write(".a.partial", "half of something much longer")
    try write("a", "new")
    #expect(try folder.text("a") == "new")
    #expect(try names() == ["a"])
  }

  @Test func twoWritersOfOneNameDoNotMix() throws {
    let first = try AtomicFile(folder: root, name: "a")
    try first.write(Array("first".utf8))
    #expect(throws: OutputError.busy(path: root + "/a")) { try AtomicFile(folder: root, name: "a") }
    try first.commit()
    try write("a", "second")
    #expect(try folder.text("a") == "second")
  }

  @Test func theFingerprintIsTheFiles() throws {
    let file = try AtomicFile(folder: root, name: "a")
    for _ in 0..<3000 { try file.write(Array("forty bytes of text, again and again....".utf8)) }
    try file.commit()
    #expect(file.fingerprint?.size == 120_000)
    #expect(try file.fingerprint?.sha256 == InputDigest.sha256(of: folder.path("a")))
  }

  /// What a rename would take the place of is asked first.
  @Test func whatIsNoWritableFileIsLeftAsItIs() throws {
    try folder.write("protected", "keep")
    chmod(folder.path("protected"), 0o444)
    try folder.write("precious", "keep")
    symlink("precious", folder.path("link"))
    mkfifo(folder.path("pipe"), 0o600)
    mkdir(folder.path("folder"), 0o700)
    for name in ["protected", "link", "pipe", "folder"] {
      #expect(throws: OutputError.self, "\(name)") { try AtomicFile(folder: root, name: name) }
    }
    #expect(try folder.text("protected") == "keep" && folder.text("precious") == "keep")
    #expect(try names() == ["folder", "link", "pipe", "precious", "protected"])
  }

  /// Also where it came while the file was written.
  @Test func whatCameMeanwhileIsLeftAsItIs() throws {
    let file = try AtomicFile(folder: root, name: "a")
    mkfifo(folder.path("a"), 0o600)
    #expect(throws: OutputError.self) { try file.commit() }
    var status = stat()
    #expect(lstat(folder.path("a"), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test func permissionsOfTheOlderFileStay() throws {
    try folder.write("a", "old")
    chmod(folder.path("a"), 0o640)
    try write("a", "new")
    var status = stat()
    #expect(stat(folder.path("a"), &status) == 0 && status.st_mode & 0o777 == 0o640)
  }

  @Test func withoutCommitNothingIsLeft() throws {
    do { try AtomicFile(folder: root, name: "a").write([1, 2, 3]) }
    #expect(try names() == [])
  }
}

import TestSupport
import Testing

/// The recording that ships, as the README's first command runs it.
@Suite struct ShippedRecordingTests {
  @Test func theDemoEndsWithTheTagFound() throws {
    let (result, _) = try RunResult.running(Repository.root.appendingPathComponent("datasets/demo"))
    let tag = try #require(result.peers["tag"])
    #expect(tag.updates >= 200)
    #expect(tag.convergedAt != nil)
    #expect(result.counts.internalErrors == 0)
    let errors = try #require(result.errors)
    #expect(try #require(errors.trajectory).ateYawAligned < 0.1)
    let judged = try #require(errors.peers["tag"])
    #expect(judged.judged >= 200)
    #expect(try #require(judged.angleErrorDegrees).final < 5)
    #expect(judged.falseConverged == 0)
  }
}

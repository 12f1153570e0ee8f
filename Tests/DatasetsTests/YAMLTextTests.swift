import Datasets
import Testing

/// The guard before the YAML parser: what costs much is refused, what only looks like it is read.
@Suite struct YAMLTextTests {
  /// Each line holds ten times the one before it; as keys they are hashed, which takes for ever.
  private static func unfolding(_ last: String) -> String {
    "a0: &a0 [1,1]\n"
      + (1...9).map { k in
        "a\(k): &a\(k) [\(Array(repeating: "*a\(k - 1)", count: 10).joined(separator: ","))]\n"
      }.joined() + last
  }

  @Test(arguments: [
    "? *a9\n: 1\n", "b: *a9\n", "- *a9", "[*a9]", "{x: *a9}", "<<: *a9\n", "b:\r*a9", "b:\u{2028}*a9",
    "c: !!map\n  *a9",
    "\"k\":*a9", "? [\"x # \", *a9]\n: 1\n",
  ])
  func aliasesAreRefused(_ last: String) throws {
    let fault = try #require(throws: YAMLText.Fault.self) { _ = try YAMLText.compose(Self.unfolding(last)) }
    #expect(fault.found == "an alias (*)" && fault.line == 2, "\(fault)")
  }

  @Test(arguments: [
    "note: R&D *fast*", "note: \"*a\"", "# &x\nnote: 5 * 3", "note: |\n  * one\n  * two", "a: &x 1\nb: 'y * x'",
    "a: b&c\nd: '*c'",
  ])
  func whatOnlyLooksLikeOneIsRead(_ text: String) throws { #expect(try YAMLText.compose(text) != nil) }

  @Test(arguments: [
    String(repeating: "[", count: 100_000), "a: " + String(repeating: "[", count: 900),
    String(repeating: "- ", count: 500) + "a", String(repeating: "? ", count: 500) + "a",
    "a: " + String(repeating: "[", count: 20) + String(repeating: "]", count: 20),
    (0..<300).map { String(repeating: " ", count: $0) + "k:\n" }.joined(),
  ])
  func deepNestingIsRefused(_ text: String) { #expect(throws: YAMLText.Fault.self) { try YAMLText.compose(text) } }

  @Test(arguments: [("a: 1\nb: \u{1}", 2), ("a: [1\nb: {", 2), ("a: 1\na: 2\n", 1), ("a: 1\nb: *c\n", 2)])
  func faultsHaveTheirLine(_ text: String, _ line: Int) throws {
    let fault = try #require(throws: YAMLText.Fault.self) { _ = try YAMLText.compose(text) }
    #expect(fault.line == line, "\(fault)")
  }

  @Test func anEmptyTextHasNoRoot() throws { #expect(try YAMLText.compose("# nothing\n") == nil) }
}

import Foundation

/// Where a broker is, and under which topic: `mqtt[s]://[user:password@]host[:port]/prefix`.
package struct MQTTAddress: Equatable, Sendable {
  package var host: String
  package var port: Int
  package var isEncrypted: Bool
  package var user: String?
  var password: String?
  /// The topic in front of all others, without a slash at its end.
  package var prefix: String

  /// What is wrong with an address; the password is in no message.
  package struct Fault: Error, Equatable, CustomStringConvertible { package var description: String }

  /// Reads an address.
  package init(_ text: String) throws(Fault) {
    let expected = "expected mqtt[s]://[user:password@]host[:port]/prefix"
    guard let parts = URLComponents(string: text), let scheme = parts.scheme, ["mqtt", "mqtts"].contains(scheme),
      let host = parts.host, !host.isEmpty, parts.query == nil, parts.fragment == nil
    else { throw Fault(description: "another address of a broker, \(expected)") }
    isEncrypted = scheme == "mqtts"
    self.host = host.trimmingCharacters(in: ["[", "]"])
    port = parts.port ?? (isEncrypted ? 8883 : 1883)
    guard (1...65_535).contains(port) else { throw Fault(description: "another port, \(expected)") }
    (user, password) = (parts.user, parts.password)
    prefix = parts.path.trimmingCharacters(in: ["/"])
    guard !prefix.isEmpty, !prefix.contains(where: { "+#".contains($0) || $0 == "\0" }), !prefix.hasPrefix("$") else {
      throw Fault(description: "no prefix of topics, or one with a wildcard, \(expected)")
    }
  }

  /// Without user and password, for people.
  package var name: String { "\(isEncrypted ? "mqtts" : "mqtt")://\(host):\(port)/\(prefix)" }

  /// A name as one level of a topic: what has a meaning there is written `%2F`.
  package static func level(_ name: String) -> String {
    // No name has a lone percent sign there.
    guard !name.isEmpty else { return "%" }
    return String(
      decoding: name.utf8.flatMap { byte -> [UInt8] in
        let isPlain = byte > 32 && byte != 127 && !"/+#%".utf8.contains(byte)
        if isPlain { return [byte] }
        let digits = String(byte, radix: 16, uppercase: true)
        return Array("%\(digits.count == 1 ? "0" : "")\(digits)".utf8)
      }, as: UTF8.self)
  }
}

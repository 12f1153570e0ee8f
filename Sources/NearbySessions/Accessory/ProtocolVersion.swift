import Foundation

/// Major and minor version, 16 bits each.
public struct ProtocolVersion: Equatable, Sendable {
  /// Incompatible changes.
  public var major: UInt16
  /// Compatible changes.
  public var minor: UInt16

  /// A version from its numbers.
  public init(major: UInt16, minor: UInt16) {
    self.major = major
    self.minor = minor
  }

  init?(_ reader: inout LittleEndianReader) {
    guard let major = reader.u16(), let minor = reader.u16() else { return nil }
    self.init(major: major, minor: minor)
  }

  var data: Data {
    var data = Data()
    data.append(littleEndian: major)
    data.append(littleEndian: minor)
    return data
  }
}

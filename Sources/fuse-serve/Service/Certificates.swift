import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL

/// The certificate and key of the service, read anew on demand: connections that begin then have the new ones.
final class Certificates: Sendable {
  private struct Pair: Sendable {
    var chain: [NIOSSLCertificateSource]
    var key: NIOSSLPrivateKeySource
  }

  private let certificate: String
  private let key: String
  private let pair: NIOLockedValueBox<Pair>

  /// Reads two files in PEM.
  ///
  /// - Throws: `CommandError` where they cannot be read or do not belong together.
  init(certificate: String, key: String) throws {
    self.certificate = certificate
    self.key = key
    pair = NIOLockedValueBox(try Self.read(certificate, key))
  }

  /// Reads them anew; after an error those of before stay.
  func reload() throws {
    let new = try Self.read(certificate, key)
    pair.withLockedValue { $0 = new }
  }

  /// TLS 1.2 or newer.
  var configuration: TLSConfiguration {
    let now = pair.withLockedValue { $0 }
    var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: now.chain, privateKey: now.key)
    configuration.minimumTLSVersion = .tlsv12
    configuration.sslContextCallback = { [pair] _, promise in
      var override = NIOSSLContextConfigurationOverride()
      let now = pair.withLockedValue { $0 }
      (override.certificateChain, override.privateKey) = (now.chain, now.key)
      promise.succeed(override)
    }
    return configuration
  }

  private static func read(_ certificate: String, _ key: String) throws -> Pair {
    do {
      let chain = try NIOSSLCertificate.fromPEMFile(certificate)
      let pair = Pair(
        chain: chain.map { .certificate($0) }, key: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
      guard !chain.isEmpty else { throw CommandError("no certificate in it") }
      // Only a context tells whether they belong together.
      _ = try NIOSSLContext(
        configuration: .makeServerConfiguration(certificateChain: pair.chain, privateKey: pair.key))
      return pair
    } catch {
      throw CommandError(
        "--tls-certificate \(certificate), --tls-key \(key): cannot be read, expected a chain and its key in PEM: \(error)"
      )
    }
  }
}

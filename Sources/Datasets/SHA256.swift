import CDigest

/// A SHA-256 (FIPS 180-4) of bytes that come in pieces.
struct SHA256: ~Copyable {
  private let context: OpaquePointer

  init() {
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      fatalError("the hash library has no SHA-256, or there is no memory")
    }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds bytes.
  func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

  /// Adds bytes.
  func add(_ bytes: UnsafeRawBufferPointer) {
    if let start = bytes.baseAddress { EVP_DigestUpdate(context, start, bytes.count) }
  }

  /// The hash as 64 lower-case hexadecimal digits; afterwards it begins anew.
  func finish() -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    EVP_DigestFinal_ex(context, &digest, nil)
    EVP_DigestInit_ex(context, EVP_sha256(), nil)
    let digits = Array("0123456789abcdef".unicodeScalars)
    var text = ""
    for byte in digest {
      text.unicodeScalars.append(digits[Int(byte >> 4)])
      text.unicodeScalars.append(digits[Int(byte & 15)])
    }
    return text
  }
}

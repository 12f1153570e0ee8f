import Foundation
import Images
import Testing

/// JPEG decoding: luma is read, damaged files are refused.
@Suite struct JPEGTests {
  /// 16x16 pixels of colour (16 x, 16 y, 128), quality 95, written by libjpeg.
  private static let text =
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsICQoK"
    + "CgoKBggLDAsKDAkKCgr/2wBDAQICAgICAgUDAwUKBwYHCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoK"
    + "CgoKCgoKCgr/wAARCAAQABADASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF"
    + "BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVW"
    + "V1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi"
    + "4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAEC"
    + "AxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVm"
    + "Z2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq"
    + "8vP09fb3+Pn6/9oADAMBAAIRAxEAPwD4A+FH7Kn+q/4lvp/BX0z8KP2VP9X/AMS30/gr6T+FH7Kn+q/4lvp/BX0z8KP2VP8AVf8A"
    + "Et9P4K9DjHxh+L95+JH0bfHr+D+97dfQ/9k="
  private static let bytes = [UInt8](Data(base64Encoded: text)!)

  @Test func lumaMatchesTheColours() throws {
    let image = try GrayImage(encoded: Self.bytes)
    #expect(image.width == 16 && image.height == 16)
    for y in 0..<16 {
      for x in 0..<16 {
        let luma = 0.299 * Double(16 * x) + 0.587 * Double(16 * y) + 0.114 * 128
        #expect(abs(Double(image.pixels[y * 16 + x]) - luma) < 4, "\(x) \(y)")
      }
    }
  }

  /// 16x16 pixels of printing colours (16 x, 16 y, 128, 64), with Adobe's marker, quality 95.
  private static let printed =
    "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwACAQEBAQECAQEBAgICAgIEAwICAgIFBAQDBAYFBgYGBQYGBgcJCAYHCQcGBggLCAkKCgoKCgYICwwLCg"
    + "wJCgoK/8AAFAgAEAAQBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgMEBQYHCAkKC//EALUQAAIBAwMCBAMFBQQEAAABfQEC"
    + "AwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dX"
    + "Z3eHl6g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/aAA4E"
    + "QwBNAFkASwAAPwD9HP8AgpJ/y/8A/Aq/Rz/h5J/1H/8AyLUdfflfz/8A/BST/l//AOBUf8PJP+o//wCRaKK/oA/4KSf8v/8AwKv5/wD/AIeSf9"
    + "R//wAi0UV/P/8A8FJP+X//AIFR/wAPJP8AqP8A/kWiiv/Z"

  /// Paper reflects what the inks leave: red (1 - cyan) (1 - black), and so on.
  @Test func printingColoursBecomeLuma() throws {
    let image = try GrayImage(encoded: [UInt8](Data(base64Encoded: Self.printed)!))
    for y in 0..<16 {
      for x in 0..<16 {
        let light = (0.299 * Double(255 - 16 * x) + 0.587 * Double(255 - 16 * y) + 0.114 * 127) * (255 - 64) / 255
        #expect(abs(Double(image.pixels[y * 16 + x]) - light) < 6, "\(x) \(y)")
      }
    }
  }

  /// Written and read again an image is nearly the same; the same pixels give the same bytes, lower quality fewer.
  @Test func whatIsWrittenIsRead() throws {
    var image = GrayImage(width: 45, height: 31, pixels: [UInt8](repeating: 0, count: 45 * 31))
    for index in image.pixels.indices { image.pixels[index] = UInt8(4 * (index % 45) + 2 * (index / 45)) }
    let bytes = try image.jpeg(quality: 90)
    let again = try GrayImage(encoded: bytes)
    #expect(again.width == 45 && again.height == 31)
    #expect(zip(again.pixels, image.pixels).allSatisfy { abs(Int($0) - Int($1)) <= 4 })
    #expect(try image.jpeg(quality: 90) == bytes)
    #expect(try image.jpeg(quality: 20).count < bytes.count)
  }

  /// Means of squares, of what is left at the edges.
  @Test func reducedImagesAreMeans() {
    let image = GrayImage(width: 3, height: 3, pixels: [0, 10, 7, 20, 30, 8, 50, 52, 99])
    #expect(image.reduced(by: 2) == GrayImage(width: 2, height: 2, pixels: [15, 8, 51, 99]))
    #expect(image.reduced(by: 1) == image)
    #expect(image.reduced(by: 5) == GrayImage(width: 1, height: 1, pixels: [31]))
  }

  /// Truncation at any byte is an error; never a crash, and never half an image.
  @Test func truncatedFilesAreRefused() throws {
    for count in 0..<Self.bytes.count - 2 {
      let error = #expect(throws: ImageError.self) { try GrayImage(encoded: Array(Self.bytes.prefix(count))) }
      #expect(error == (count < 3 ? .unknownFormat : .damaged), "\(count) of \(Self.bytes.count) bytes")
    }
  }

  /// Any changed byte gives an error or an image within the size limit.
  @Test func flippedBytesAreHandled() throws {
    for index in Self.bytes.indices {
      for flip: UInt8 in [0x01, 0x80, 0xFF] {
        var damaged = Self.bytes
        damaged[index] ^= flip
        if let image = try? GrayImage(encoded: damaged) { #expect(image.pixels.count <= GrayImage.largest) }
      }
    }
  }

  @Test func aHeaderOfGigabytesIsRefused() throws {
    var huge = Self.bytes
    let frame = try #require(huge.indices.first { $0 + 1 < huge.count && huge[$0] == 0xFF && huge[$0 + 1] == 0xC0 })
    for (offset, value) in [(5, 20_000 >> 8), (6, 20_000 & 255), (7, 20_000 >> 8), (8, 20_000 & 255)] {
      huge[frame + offset] = UInt8(value)
    }
    #expect(throws: ImageError.tooLarge(width: 20_000, height: 20_000)) { try GrayImage(encoded: huge) }
  }
}

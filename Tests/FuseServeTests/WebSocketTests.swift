import NIOCore
import NIOWebSocket
import Testing
import fuse_serve

/// Frames of a client become messages; what it must not send is named with the code of RFC 6455.
@Suite struct WebSocketTests {
  private static let mask: WebSocketMaskingKey = [1, 2, 3, 4]

  private func frame(
    _ opcode: WebSocketOpcode, _ bytes: [UInt8], isLast: Bool = true, mask: WebSocketMaskingKey? = mask
  ) -> WebSocketFrame {
    var data = ByteBuffer(bytes: bytes)
    if let mask { data.webSocketMask(mask) }
    return WebSocketFrame(fin: isLast, opcode: opcode, maskKey: mask, data: data)
  }

  private func code(_ outcome: WebSocketAssembler.Outcome) -> WebSocketErrorCode? {
    if case .violation(let code, _) = outcome { code } else { nil }
  }

  @Test func partsBecomeTheirMessageWithControlFramesBetween() {
    var assembler = WebSocketAssembler(largest: 10)
    #expect(assembler.take(frame(.text, Array("ab".utf8), isLast: false)) == .nothing)
    #expect(assembler.take(frame(.ping, [7])) == .ping(ByteBuffer(bytes: [7])))
    #expect(assembler.take(frame(.continuation, [], isLast: false)) == .nothing)
    // A letter whose bytes are in two parts.
    #expect(assembler.take(frame(.continuation, [0xC3], isLast: false)) == .nothing)
    #expect(assembler.take(frame(.continuation, [0xA4])) == .message(ByteBuffer(string: "abä")))
    #expect(assembler.take(frame(.binary, [255])) == .message(ByteBuffer(bytes: [255])))
  }

  @Test func aMessageIsBoundedHoweverItComes() {
    for parts in 1...10 {
      var assembler = WebSocketAssembler(largest: 9)
      var last = WebSocketAssembler.Outcome.nothing
      for index in 0..<parts where code(last) == nil {
        let bytes = [UInt8](repeating: 65, count: 10 / parts + (index < 10 % parts ? 1 : 0))
        last = assembler.take(frame(index == 0 ? .binary : .continuation, bytes, isLast: index == parts - 1))
      }
      #expect(code(last) == .messageTooLarge, "\(parts) parts")
    }
  }

  @Test func violationsAreNamed() {
    func one(_ frames: WebSocketFrame...) -> WebSocketErrorCode? {
      var assembler = WebSocketAssembler(largest: 100)
      return frames.map { code(assembler.take($0)) }.last!
    }
    #expect(one(frame(.text, [65], mask: nil)) == .protocolError)
    #expect(one(frame(.continuation, [65])) == .protocolError)
    #expect(one(frame(.text, [65], isLast: false), frame(.text, [65])) == .protocolError)
    #expect(one(frame(WebSocketOpcode(encodedWebSocketOpcode: 3)!, [65])) == .protocolError)
    #expect(one(frame(.text, [0xFF])) == .dataInconsistentWithMessage)
    #expect(one(frame(.connectionClose, [3])) == .protocolError)
    for wrong in [0, 999, 1004, 1005, 1006, 1015, 2999, 5000] {
      #expect(one(frame(.connectionClose, [UInt8(wrong >> 8), UInt8(wrong & 255)])) == .protocolError, "\(wrong)")
    }
    #expect(one(frame(.connectionClose, [3, 232, 0xFF])) == .dataInconsistentWithMessage)
    var reserved = frame(.text, [65])
    reserved.rsv2 = true
    #expect(one(reserved) == .protocolError)
  }

  @Test func theEndHasItsCode() {
    var assembler = WebSocketAssembler(largest: 100)
    #expect(assembler.take(frame(.connectionClose, [])) == .close(.normalClosure))
    #expect(assembler.take(frame(.connectionClose, [3, 233, 65])) == .close(.goingAway))
  }

  @Test func theFirstLineSaysWhatAMessageIs() {
    func read(_ text: String) -> SocketRequest { SocketRequest(message: Array(text.utf8)) }
    #expect(read("{\"seq\":12}\n{\"imu\":[]}\n") == .batch(12, from: 11))
    #expect(read("{\"seq\":0}") == .batch(0, from: 9))
    #expect(read("{\"finish\":{}}") == .finish)
    for wrong in [
      "", "{}", "[]", "hello", "{\"seq\":-1}", "{\"seq\":1.5}", "{\"seq\":9007199254740992}", "{\"seq\":\"1\"}",
      "{\"seq\":1,\"finish\":{}}", "{\"end\":{}}", "{\"seq\":\n1}", String(repeating: " ", count: 300) + "{\"seq\":1}",
    ] {
      guard case .fault(let words) = read(wrong) else {
        Issue.record("\(wrong) was taken")
        continue
      }
      #expect(words.contains("expected"))
    }
  }
}

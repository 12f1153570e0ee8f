import Foundation
import LiveSessions
import Testing

/// The stored updates: found by index, open only while somebody writes or reads.
@Suite struct StoreTests {
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-store-\(UUID().uuidString)").path
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    var file: String { "\(path)/updates.jsonl" }
  }

  /// Line `k`, of a length that differs: some are longer than what is read at a time.
  private static func line(_ k: Int) -> [UInt8] {
    Array(
      "{\"timestamp\":\(k),\"peer\":\"p\(k % 3)\",\"x\":\"\(String(repeating: "y", count: k % 7 == 0 ? 900 : k % 40))\"}\n"
        .utf8)
  }

  private static func write(_ store: UpdateStore, _ range: Range<Int>) throws -> Range<Int> {
    for k in range { store.add(line(k)) }
    return try store.publish(arrival: 1, now: 2)
  }

  private static func read(_ store: UpdateStore, from index: Int, bytes: Int) throws -> [[UInt8]] {
    var position = try store.position(of: index)
    #expect(position.index == min(index, store.state.count))
    var found: [[UInt8]] = []
    while true {
      let lines = try store.read(&position, bytes: bytes)
      if lines.isEmpty { return found }
      found += lines.map { Array($0) + [0x0A] }
      #expect(position.index == min(index, store.state.count) + found.count)
    }
  }

  private static func openFiles(_ path: String) -> Int {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return all.count { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path }
  }

  @Test func everyLineIsFoundByItsIndex() throws {
    let folder = try Folder()
    let store = try UpdateStore(path: folder.file, keeps: false)
    try store.beginWriting()
    for range in [0..<1, 1..<1, 1..<500] { #expect(try Self.write(store, range) == range) }
    let (_, reader) = try store.changes()
    let all = (0..<500).map(Self.line)
    for index in [0, 1, 63, 64, 65, 127, 128, 499, 500, 900] {
      for bytes in [1, 100, 4096, 1 << 20] {
        #expect(try Self.read(store, from: index, bytes: bytes) == Array(all.dropFirst(index)), "\(index) \(bytes)")
      }
    }
    store.leave(reader)
  }

  /// A store that nobody writes or reads holds no descriptor, and is opened again; what is written again is passed over.
  @Test func nobodyHoldsNothing() throws {
    let folder = try Folder()
    let store = try UpdateStore(path: folder.file, keeps: false)
    #expect(Self.openFiles(folder.file) == 0)
    try store.beginWriting()
    _ = try Self.write(store, 0..<300)
    #expect(Self.openFiles(folder.file) == 1)
    store.endWriting()
    #expect(Self.openFiles(folder.file) == 0 && store.state.count == 300 && store.size > 10_000)
    // The same once more, and further ones.
    try store.beginWriting()
    #expect(try Self.write(store, 0..<200) == 300..<300)
    #expect(try Self.write(store, 200..<310) == 300..<310)
    let (_, reader) = try store.changes()
    store.endWriting()
    store.finish()
    #expect(Self.openFiles(folder.file) == 1)
    #expect(try Self.read(store, from: 0, bytes: 4096) == (0..<310).map(Self.line))
    store.leave(reader)
    #expect(Self.openFiles(folder.file) == 0)
    // After a restart.
    let again = try UpdateStore(path: folder.file, keeps: true)
    #expect(Self.openFiles(folder.file) == 0 && again.state == (310, true) && Self.openFiles(folder.file) == 0)
    let (_, late) = try again.changes()
    #expect(try Self.read(again, from: 250, bytes: 512) == (250..<310).map(Self.line))
    again.leave(late)
  }

  @Test func latenciesOfTheNewest() throws {
    let folder = try Folder()
    let store = try UpdateStore(path: folder.file, keeps: false)
    try store.beginWriting()
    for k in 0..<10_000 {
      store.add(Self.line(k))
      try store.publish(arrival: Int64(k), now: Int64(k + 1))
    }
    #expect(store.latency(9_999)?.arrival == 9_999 && store.latency(5_904)?.arrival == 5_904)
    #expect(store.latency(5_903) == nil && store.latency(10_000) == nil)
    store.endWriting()
  }

  @Test func peersOfLines() {
    let peers = (0..<4).map { UpdatePeer(line: Self.line($0)[...]) }
    #expect(peers[0] == peers[3] && Set(peers).count == 3 && !peers.contains(nil))
    let own = Array("{\"timestamp\":5,\"peer\":null,\"guidance\":\",\\\"peer\\\":\\\"x\\\"\"}".utf8)
    #expect(UpdatePeer(line: own[...]) == nil)
    let quoted = Array("{\"timestamp\":5,\"peer\":\"a\\\"b\",\"x\":1}".utf8),
      other = Array("{\"timestamp\":5,\"peer\":\"a\\\"c\"}".utf8)
    #expect(UpdatePeer(line: quoted[...]) != nil && UpdatePeer(line: quoted[...]) != UpdatePeer(line: other[...]))
  }

  @Test func theOrderOfPublications() {
    var order = PublicationOrder(limit: 4)
    #expect(order.entries(from: 0, limit: 9) == (0, []))
    for k in 0..<6 { order.add(.init(session: UInt64(k % 2), updates: k..<k + 2)) }
    #expect(order.entries(from: 6, limit: 9) == (0, []) && order.entries(from: 99, limit: 9) == (0, []))
    let (missed, entries) = order.entries(from: 0, limit: 3)
    #expect(missed == 2 && entries.map(\.updates.lowerBound) == [2, 3, 4])
    #expect(order.number(of: 1, 6) == 5 && order.number(of: 1, 3) == 3 && order.number(of: 0, 0) == nil)
  }
}

private func == (_ a: (missed: Int, entries: [PublicationOrder.Entry]), _ b: (Int, [PublicationOrder.Entry])) -> Bool {
  a.missed == b.0 && a.entries == b.1
}

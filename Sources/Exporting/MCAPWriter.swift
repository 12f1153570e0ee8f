import Datasets

/// Writes an MCAP file (https://mcap.dev/spec), chunked, uncompressed, indexed, with checksums.
///
/// One chunk at a time is in memory. Messages may come in any order; readers sort by the index.
final class MCAPWriter {
  /// A channel, as `addChannel` returned it.
  struct Channel: Hashable { fileprivate var id: UInt16 }

  private struct ChunkRecord {
    var start: UInt64, end: UInt64, offset: UInt64, length: UInt64
    var indexOffsets: [(UInt16, UInt64)]
    var indexLength: UInt64, size: UInt64
  }

  private static let magic: [UInt8] = [0x89] + Array("MCAP0\r\n".utf8)
  private static let chunkSize = 1 << 20

  private let file: OutputFile
  private var position: UInt64 = 0
  private var schemas: [Bytes] = []
  private var schemaIDs: [String: UInt16] = [:]
  private var channels: [Bytes] = []
  private var sequences: [UInt32] = []
  private var counts: [UInt64] = []
  private var chunk = Bytes()
  private var chunkIndex: [UInt16: [(time: UInt64, offset: UInt64)]] = [:]
  private var chunkTimes: (first: UInt64, last: UInt64) = (.max, 0)
  private var chunks: [ChunkRecord] = []
  private var times: (first: UInt64, last: UInt64) = (.max, 0)

  /// Starts a file.
  init(_ file: OutputFile) throws(OutputError) {
    self.file = file
    try put(Self.magic)
    var header = Bytes()
    header.string("")
    header.string("fuse")
    try put(Self.record(0x01, header))
  }

  /// A channel of JSON messages that follow a JSON schema; one schema of a name.
  func addChannel(_ topic: String, schema name: String, _ schema: String) -> Channel {
    let schemaID = schemaIDs[name] ?? UInt16(schemas.count + 1)
    if schemaIDs[name] == nil {
      schemaIDs[name] = schemaID
      var record = Bytes()
      record.integer(schemaID)
      record.string(name)
      record.string("jsonschema")
      record.string(schema)
      schemas.append(record)
      chunk.bytes += Self.record(0x03, record)
    }
    let id = UInt16(channels.count)
    var record = Bytes()
    record.integer(id)
    record.integer(schemaID)
    record.string(topic)
    record.string("json")
    record.integer(UInt32(0))
    channels.append(record)
    sequences.append(0)
    counts.append(0)
    chunk.bytes += Self.record(0x04, record)
    return Channel(id: id)
  }

  /// Adds a message.
  func add(_ message: [UInt8], to channel: Channel, at nanoseconds: UInt64) throws(OutputError) {
    let id = Int(channel.id)
    chunkIndex[channel.id, default: []].append((nanoseconds, UInt64(chunk.bytes.count)))
    chunk.bytes.append(0x05)
    chunk.integer(UInt64(22 + message.count))
    chunk.integer(channel.id)
    chunk.integer(sequences[id])
    chunk.integer(nanoseconds)
    chunk.integer(nanoseconds)
    chunk.bytes += message
    sequences[id] &+= 1
    counts[id] += 1
    chunkTimes = (min(chunkTimes.first, nanoseconds), max(chunkTimes.last, nanoseconds))
    if chunk.bytes.count >= Self.chunkSize { try endChunk() }
  }

  private func endChunk() throws(OutputError) {
    guard !chunkIndex.isEmpty else { return }
    var record = Bytes()
    record.integer(chunkTimes.first)
    record.integer(chunkTimes.last)
    record.integer(UInt64(chunk.bytes.count))
    record.integer(Checksum.of(chunk.bytes))
    record.string("")
    record.integer(UInt64(chunk.bytes.count))
    record.bytes += chunk.bytes
    let bytes = Self.record(0x06, record)
    var entry = ChunkRecord(
      start: chunkTimes.first, end: chunkTimes.last, offset: position, length: UInt64(bytes.count), indexOffsets: [],
      indexLength: 0, size: UInt64(chunk.bytes.count))
    try put(bytes)
    let begin = position
    for (id, messages) in chunkIndex.sorted(by: { $0.key < $1.key }) {
      entry.indexOffsets.append((id, position))
      var index = Bytes()
      index.integer(id)
      index.integer(UInt32(16 * messages.count))
      for message in messages {
        index.integer(message.time)
        index.integer(message.offset)
      }
      try put(Self.record(0x07, index))
    }
    entry.indexLength = position - begin
    chunks.append(entry)
    times = (min(times.first, chunkTimes.first), max(times.last, chunkTimes.last))
    (chunk, chunkIndex, chunkTimes) = (Bytes(), [:], (.max, 0))
  }

  /// Writes the summary.
  func finish() throws(OutputError) {
    try endChunk()
    var dataEnd = Bytes()
    dataEnd.integer(UInt32(0))
    try put(Self.record(0x0F, dataEnd))
    let summaryStart = position
    var offsets = Bytes()
    func group(_ code: UInt8, _ records: [Bytes]) throws(OutputError) {
      guard !records.isEmpty else { return }
      let start = position
      for record in records { try put(Self.record(code, record)) }
      var offset = Bytes()
      offset.bytes.append(code)
      offset.integer(start)
      offset.integer(position - start)
      offsets.bytes += Self.record(0x0E, offset)
    }
    try group(0x03, schemas)
    try group(0x04, channels)
    try group(0x0B, [statistics()])
    try group(0x08, chunks.map(index))
    let offsetStart = position
    try put(offsets.bytes)
    var footer = Bytes()
    footer.integer(summaryStart)
    footer.integer(offsetStart)
    footer.integer(UInt32(0))
    try put(Self.record(0x02, footer))
    try put(Self.magic)
  }

  private func statistics() -> Bytes {
    var record = Bytes()
    record.integer(counts.reduce(0, +))
    record.integer(UInt16(schemas.count))
    record.integer(UInt32(channels.count))
    record.integer(UInt32(0))
    record.integer(UInt32(0))
    record.integer(UInt32(chunks.count))
    record.integer(chunks.isEmpty ? 0 : times.first)
    record.integer(times.last)
    record.integer(UInt32(10 * counts.count))
    for (id, count) in counts.enumerated() {
      record.integer(UInt16(id))
      record.integer(count)
    }
    return record
  }

  private func index(_ chunk: ChunkRecord) -> Bytes {
    var record = Bytes()
    for value in [chunk.start, chunk.end, chunk.offset, chunk.length] { record.integer(value) }
    record.integer(UInt32(10 * chunk.indexOffsets.count))
    for (id, offset) in chunk.indexOffsets {
      record.integer(id)
      record.integer(offset)
    }
    record.integer(chunk.indexLength)
    record.string("")
    record.integer(chunk.size)
    record.integer(chunk.size)
    return record
  }

  private static func record(_ code: UInt8, _ content: Bytes) -> [UInt8] {
    var head = Bytes()
    head.bytes.append(code)
    head.integer(UInt64(content.bytes.count))
    return head.bytes + content.bytes
  }

  private func put(_ bytes: [UInt8]) throws(OutputError) {
    try file.write(bytes)
    position += UInt64(bytes.count)
  }

  /// Little-endian numbers, and texts with their length before them.
  private struct Bytes {
    var bytes: [UInt8] = []

    mutating func integer(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    mutating func string(_ text: String) {
      integer(UInt32(text.utf8.count))
      bytes += text.utf8
    }
  }
}

/// CRC-32 of ISO 3309, as MCAP's chunks have it.
private enum Checksum {
  private static let table: [UInt32] = (0..<256).map { (byte: UInt32) -> UInt32 in
    (0..<8).reduce(byte) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
  }

  static func of(_ bytes: [UInt8]) -> UInt32 {
    table.withUnsafeBufferPointer { table in
      ~bytes.reduce(UInt32.max) { crc, byte in crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
    }
  }
}

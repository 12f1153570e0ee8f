import Datasets
import DatasetsTestSupport
import Foundation
import Testing

/// Requirements on speed and memory; serialised, as the processor is shared.
@Suite(.serialized) struct ReadingSpeedTests {
  /// Processor time of this thread, seconds.
  private static func cpu() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Writes tracks of about `megabytes`, 100 features a frame at 30 Hz, without holding them.
  private static func writeFeatures(_ fixture: Fixture, megabytes: Int) throws {
    try fixture.write(Fixture.features, Fixture.featureHeader + "\n")
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: fixture.path(Fixture.features)))
    try file.seekToEnd()
    var written = 0
    var frame = 0
    while written < megabytes * 1_000_000 {
      var text = ""
      let time = Fixture.start + Int64(frame) * 33_333_333
      for id in 0..<100 {
        let k = frame &* 7919 &+ id &* 104_729
        text += "\(time),\(id + frame / 3),\(k % 640).\(100 + k % 900),\(k % 480).\(100 + (k / 7) % 900)\n"
      }
      try file.write(contentsOf: Data(text.utf8))
      written += text.utf8.count
      frame += 1
    }
    try file.close()
  }

  @Test func aFeatureLogReadsTenTimesAsFastAsFoundationSplitsIt() throws {
    let fixture = try Fixture()
    try Self.writeFeatures(fixture, megabytes: 20)
    let path = fixture.path(Fixture.features)
    let size = try Double(#require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)) / 1e6

    var start = Self.cpu()
    var splitRows = 0
    var splitSum = 0.0
    for line in try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n").dropFirst() {
      let cells = line.components(separatedBy: ",")
      guard cells.count == 4, Int64(cells[0]) != nil, Int64(cells[1]) != nil else { continue }
      splitRows += 1
      splitSum += (Double(cells[2]) ?? 0) + (Double(cells[3]) ?? 0)
    }
    let splitting = Self.cpu() - start

    // Ours does more: it opens the folder, merges the IMU and the ranges, checks and sorts.
    start = Self.cpu()
    var rows = 0
    var sum = 0.0
    let reader = try Recording.open(fixture.folder).events()
    while let event = try reader.next() {
      guard case .frame(let frame) = event.event else { continue }
      rows += frame.features.count
      for feature in frame.features { sum += feature.u + feature.v }
    }
    let reading = Self.cpu() - start

    #expect(rows == splitRows)
    #expect(abs(sum - splitSum) < 1e-6 * sum)
    print(
      String(
        format: "features.csv of %.0f MB: %.0f MB/s, Foundation's splitting %.1f MB/s, ratio %.1f", size,
        size / reading,
        size / splitting, splitting / reading))
    #expect(splitting / reading >= 10)
  }

  #if os(Linux)
    /// In a separate process, because the peak is that of the process.
    @Test func memoryDoesNotGrowWithTheRecording() async {
      let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        let fixture = try Fixture()
        try Self.writeFeatures(fixture, megabytes: 100)
        let before = try Self.peakMemory()
        let reader = try Recording.open(fixture.folder).events()
        var frames = 0
        while let event = try reader.next() { if case .frame = event.event { frames += 1 } }
        let growth = try Self.peakMemory() - before
        print("reading 100 MB raised the peak by \(growth) KiB over \(before) KiB, \(frames) frames")
        precondition(frames > 20_000 && growth < 8 * 1024, "\(frames) frames, \(growth) KiB")
      }
      print(String(decoding: child?.standardOutputContent ?? [], as: UTF8.self))
    }

    /// Peak of this program's resident memory, KiB; `getrusage` would count what the process was before its `exec`.
    private static func peakMemory() throws -> Int {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
      return try #require(Int(line.split(separator: "\t").last?.split(separator: " ").first ?? ""))
    }
  #endif
}

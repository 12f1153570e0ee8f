import Foundation
import TestSupport
import Testing
import fuse_lab

/// Recordings with one wrong thing about their set-up.
@Suite struct FaultsTests {
  private static let arc = Repository.root.appendingPathComponent("datasets/arc").path

  private func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
  }

  /// Each fault changes the recording, and leaves its truth.
  @Test(arguments: SetUpFault.all.map(\.name)) func aFaultChangesTheRecording(_ name: String) throws {
    let fault = try #require(SetUpFault.all.first { $0.name == name })
    #expect(fault.fits(Self.arc))
    let out = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-faults-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: out) }
    let folder = try fault.make(Self.arc, in: out)
    #expect(folder == "\(out)/\(name)" && !FileManager.default.contentsEqual(atPath: Self.arc, andPath: folder))
    let truth = "mav0/state_groundtruth_estimate0/data.csv"
    let isKept = try text("\(Self.arc)/\(truth)") == text("\(folder)/\(truth)")
    #expect(isKept == (name != "time-milliseconds"))
  }

  /// Without a unit, and a hundred times the metres.
  @Test func rangesInCentimetres() throws {
    let out = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-faults-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: out) }
    let fault = try #require(SetUpFault.all.first { $0.name == "range-centimetres" })
    let (ranges, folder) = ("mav0/uwb0/data.csv", try fault.make(Self.arc, in: out))
    let before = try text("\(Self.arc)/\(ranges)").split(separator: "\n").map { $0.split(separator: ",") }
    let after = try text("\(folder)/\(ranges)").split(separator: "\n").map { $0.split(separator: ",") }
    #expect(before.count == after.count && after[0].prefix(3) == ["#timestamp", "peer_id", "range"])
    let values = try (#require(Double(before[1][2])), #require(Double(after[1][2])))
    #expect(abs(values.1 - 100 * values.0) < 1e-6)
  }

  @Test func theNamesAreDistinct() {
    #expect(Set(SetUpFault.all.map(\.name)).count == SetUpFault.all.count && SetUpFault.all.count == 68)
  }

  /// Wilson's interval as in the tables of Newcombe, Stat. Med. 17, 1998, doi:10.1002/(sici)1097-0258(19980430)17:8<857::aid-sim777>3.0.co;2-e.
  @Test func sharesHaveWilsonsInterval() {
    #expect(FaultsPage.share(81, 263) == "81 of 263 (31 % [26, 37])")
    #expect(FaultsPage.share(15, 148) == "15 of 148 (10 % [6, 16])")
    #expect(FaultsPage.share(0, 20) == "0 of 20 (0 % [0, 16])")
    #expect(FaultsPage.share(0, 0) == "-")
  }
}

/// One sensor with one fault.
@Suite struct SensorFaultTests {
  private static let arc = Repository.root.appendingPathComponent("datasets/arc").path
  /// What has no meaning: the columns of a range, the mount of an antenna, the origin of a tracker.
  private static let meaningless = [
    "ranges/axes swapped", "ranges/mount off 10 deg", "ranges/mount off 90 deg", "odometry/offset",
  ]

  @Test(arguments: FaultySensor.allCases) func aFaultChangesOneSensor(_ sensor: FaultySensor) throws {
    let out = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-sensor-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: out) }
    #expect(try SensorFault.make(nil, of: sensor, Self.arc, to: "\(out)/sound"))
    for fault in SensorFault.allCases {
      let isMade = try SensorFault.make(fault, of: sensor, Self.arc, to: "\(out)/faulty")
      #expect(isMade == !Self.meaningless.contains("\(sensor)/\(fault.rawValue)"), "\(fault.rawValue)")
      let isSame = FileManager.default.contentsEqual(atPath: "\(out)/sound", andPath: "\(out)/faulty")
      #expect(isSame == !isMade, "\(fault.rawValue)")
    }
  }
}

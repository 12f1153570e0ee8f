import Datasets
import DatasetsTestSupport
import SensorData
import Testing

/// Tracks and frames as one stream.
@Suite struct CameraStreamTests {
  /// A recording with the given camera files, and an IMU.
  private func fixture(features: String, frames: String? = nil) throws -> Fixture {
    let fixture = try Fixture()
    try fixture.write(Fixture.features, Fixture.featureHeader + "\n" + features)
    if let frames { try fixture.write(Fixture.frames, "#timestamp [ns],mean_luma []\n" + frames) }
    return fixture
  }

  private func frame(_ time: Int64, _ ids: [Int64], _ luma: Double? = nil) -> CameraFrame {
    CameraFrame(
      timestamp: Timestamp(nanoseconds: time),
      features: ids.map { FeatureObservation(featureID: $0, u: Double($0), v: -1) }, meanLuma: luma)
  }

  @Test func withoutFramesTheFramesAreTheStampsOfTheFeatures() throws {
    let fixture = try fixture(features: "10,7,7,-1\n10,-3,-3,-1\n10,5,5,-1\n20,5,5,-1\n")
    #expect(try fixture.read().frames == [frame(10, [-3, 5, 7]), frame(20, [5])])
  }

  @Test func aDarkFrameIsNotAMissingFrame() throws {
    let fixture = try fixture(
      features: "20,1,1,-1\n20,2,2,-1\n40,1,1,-1\n", frames: "10,0.01\n20,0.5\n30,0\n40,\n50,1\n")
    #expect(
      try fixture.read().frames == [
        frame(10, [], 0.01), frame(20, [1, 2], 0.5), frame(30, [], 0), frame(40, [1], nil), frame(50, [], 1),
      ])
  }

  @Test func allDarkIsAHeaderBesideFrames() throws {
    let fixture = try fixture(features: "", frames: "10,0.01\n20,0.02\n")
    #expect(try fixture.read().frames == [frame(10, [], 0.01), frame(20, [], 0.02)])
    #expect(try fixture.open().trajectorySource == .imuAndCamera)
  }

  @Test func featuresOfAFrameThatIsNotListed() throws {
    let rows = (0..<2000).map { "\($0 / 2),\($0 % 2),0,0\n" }.joined()
    let frames = (0..<1000).filter { $0 != 700 }.map { "\($0),0.5\n" }.joined()
    let fixture = try fixture(features: rows, frames: frames)
    let reading = try fixture.read()
    #expect(reading.counts(Fixture.features) == [.frameNotListed: 1])
    #expect(reading.frames.count == 999)
    let error = try #require(throws: DatasetError.self) { try fixture.read(ReadingOptions(strict: true)) }
    #expect(error.file == fixture.path(Fixture.features) && error.line == 1402)
  }

  @Test func aSecondCameraCountsForItself() throws {
    let fixture = try fixture(features: "10,1,1,-1\n20,1,1,-1\n")
    try fixture.write("mav0/cam1/features.csv", Fixture.featureHeader + "\n10,4,4,-1\n20,4,4,-1\n")
    try fixture.write("mav0/cam1/sensor.yaml", Fixture.cameraYAML + "feature_ids: shared\n")
    let reading = try fixture.read()
    #expect(reading.frames.map(\.camera) == [0, 1, 0, 1])
    #expect(try fixture.open().rig.cameras.map(\.featureIDs) == [.separate, .shared])
  }

  @Test func lateFramesCarryTheArrivalOfTheirLastRow() throws {
    let fixture = try Fixture()
    try fixture.write(
      Fixture.features,
      "#timestamp [ns],feature_id [],u [px],v [px],arrival [ns]\n10,1,0,0,15\n10,2,0,0,16\n30,1,0,0,31\n20,1,0,0,35\n")
    try fixture.write(Fixture.frames, "#timestamp [ns],mean_luma [],arrival [ns]\n10,1,12\n30,1,30\n20,0.5,34\n")
    let events = try fixture.read().events.filter { if case .frame = $0.event { true } else { false } }
    #expect(events.map(\.event.timestamp.nanoseconds) == [10, 30, 20])
    #expect(events.map(\.arrival.nanoseconds) == [16, 31, 35])
  }
}

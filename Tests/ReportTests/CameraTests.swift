import Datasets
import Foundation
import Geometry
import Report
import ReportTestSupport
import SensorData
import Testing

/// What the page shows of the camera.
@Suite struct CameraTests {
  private func time(_ seconds: Double) -> Timestamp { HandMadeRun.time(seconds) }

  /// First angle, convergence, end and beginning are among the moments; the gaps are filled evenly.
  @Test func momentsAreThoseThatMatter() throws {
    var run = HandMadeRun()
    run.updates = [1, 3, 6].map { run.update($0) }
    run.updates[0].horizontalAngle = nil
    for index in 0...1 { run.updates[index].status = "notConverged" }
    let input = try run.input()
    #expect(CameraMoments.chosen(input.run, count: 4) == [time(0), time(3), time(6), time(10)])
    #expect(CameraMoments.chosen(input.run, count: 2) == [time(3), time(6)])
    // The longest gap is from 6 to 10 s.
    #expect(CameraMoments.chosen(input.run, count: 5) == [time(0), time(3), time(6), time(8), time(10)])
    let many = CameraMoments.chosen(input.run, count: 1000)
    #expect(many == many.sorted() && Set(many).count == many.count && many.count < 30)
    var empty = HandMadeRun()
    empty.hasPoses = false
    #expect(CameraMoments.chosen(try empty.input().run, count: 8) == [])
  }

  /// All pictures of a page together have at most 400 kB of text, whatever the number of runs.
  @Test(arguments: 1...60) func picturesAreBounded(_ runs: Int) throws {
    let moments = CameraMoments.count(runs: runs)
    #expect(moments >= 2 && moments <= 8)
    guard let limit = CameraMoments.pictureLimit(runs: runs) else {
      #expect(runs > 20)
      return
    }
    let text = Data(count: limit).base64EncodedString().count
    #expect(runs * moments * text <= 400_000 + 4 * runs * moments)
  }

  @Test func theModelHasTracksAndPictures() throws {
    var run = HandMadeRun()
    run.updates = [run.update(2), run.update(5)]
    run.updates[0].status = "notConverged"
    var input = try run.input()
    #expect(ReportModel.json(input)["camera"] == .null)
    let track = CameraView.Track(points: [.init(u: 10.4, v: 20.6), .init(u: 12, v: 21)])
    input.camera = CameraView(
      width: 640, height: 480,
      moments: [
        .init(timestamp: time(0), tracks: []), .init(timestamp: time(2.05), tracks: [track], picture: [255, 216, 255]),
        .init(timestamp: time(5), tracks: [track]),
      ])
    let camera = try #require(ReportModel.json(input)["camera"])
    #expect(camera["width"] == 640 && camera["height"] == 480)
    #expect(camera.at("moments", 1, "t") == .number(2.05))
    #expect(camera.at("moments", 1, "tracks") == .array([.array([10, 21, 12, 21])]))
    #expect(camera.at("moments", 1, "picture") == "data:image/jpeg;base64,/9j/")
    #expect(camera.at("moments", 2, "picture") == .null)
    #expect((0..<3).map { camera.at("moments", $0, "words")?.text } == ["", "first angle of tag", "tag converged"])
  }
}

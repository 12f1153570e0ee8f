import Datasets
import Geometry
import JSONText
import Report
import ReportTestSupport
import RunResults
import Testing

/// The numbers that the page draws.
@Suite struct ReportModelTests {
  private func model(_ run: HandMadeRun) throws -> JSONValue { ReportModel.json(try run.input()) }

  /// The plan's origin is the device's first position and up its first heading, whatever the estimate's world; truth
  /// and estimate coincide.
  @Test func thePlanIsTheDevicesOwn() throws {
    var run = HandMadeRun()
    run.updates = [run.update(5)]
    let model = try model(run)
    let (x, y) = (try #require(model.at("path", "x")).numbers, try #require(model.at("path", "y")).numbers)
    #expect(x.count == 101)
    #expect(x.allSatisfy { $0 == 0 })
    #expect(y[0] == 0)
    #expect(y[100] == 1)
    #expect(try #require(model.at("path", "heading")).numbers.allSatisfy { $0 == 0 })
    #expect(model.at("path", "truth", "y") == model.at("path", "y"))
    #expect(model.at("peers", 0, "series", "truth", "y") == .array([.integer(4)]))
    #expect(model.at("peers", 0, "series", "updates", "y") == .array([.integer(4)]))
    #expect(model.at("peers", 0, "series", "updates", "x") == .array([.integer(0)]))
    #expect(model.at("peers", 0, "series", "updates", "trueDistance") == .array([.number(3.5)]))
    #expect(model.at("peers", 0, "series", "updates", "angleError") == .array([.integer(0)]))
  }

  /// A covariance that is long to the right in the truth's axes is so on the plan.
  @Test func ellipsesRotateWithThePlan() throws {
    var run = HandMadeRun()
    run.updates = [run.update(5, covariance: Matrix3(diagonal: Vector3(0.16, 0.01, 0.04)))]
    let updates = try #require(try model(run).at("peers", 0, "series", "updates"))
    func axes(_ plane: String) -> [Double] {
      ["a", "b", "rotation"].map { updates.at(plane, $0, 0)?.double ?? .nan }
    }
    #expect(axes("top") == [0.858, 0.215, 0])
    #expect(axes("ahead") == [0.429, 0.215, 90])
    #expect(axes("right") == [0.858, 0.429, 0])
  }

  @Test func normalisedErrorsOfKnownErrors() throws {
    var run = HandMadeRun()
    let covariance = Matrix3(diagonal: Vector3(0.04, 0.01, 0.09))
    run.updates = [
      run.update(1, covariance: covariance), run.update(2, error: Vector3(0.4, 0, 0), covariance: covariance),
      run.update(4, error: Vector3(0.2, 0.1, -0.6), covariance: covariance),
    ]
    let model = try model(run)
    let errors = try #require(model.at("peers", 0, "series", "nees", "v")).numbers
    // The line is broken over the two seconds without a value.
    #expect(errors.count == 4)
    #expect(try #require(errors[0]) < 1e-6)
    #expect(errors[1] == 4)
    #expect(errors[2] == nil)
    #expect(errors[3] == 6)
    #expect(model.at("peers", 0, "series", "nees", "t") == .array([1, 2, 2, 4]))
    // The device's own: it errs nowhere.
    #expect(try #require(model.at("nees", "position", "v")).numbers.allSatisfy { $0! < 1e-6 })
    let band = try #require(model.at("neesBand")).numbers
    #expect(abs(band[0]! - 0.0717) < 1e-4)
    #expect(abs(band[1]! - 12.838) < 0.05)
  }

  /// An interval on the other side of pi is as near to its angle as any.
  @Test func intervalsBehindTheDevice() throws {
    var run = HandMadeRun()
    var update = run.update(1)
    update.horizontalAngle = .init(value: -3.1, standardDeviation: 0.1, low: 3, high: 3.3)
    run.updates = [update]
    let updates = try #require(try model(run).at("peers", 0, "series", "updates"))
    let (low, high) = (updates.at("low", 0)?.double, updates.at("high", 0)?.double)
    #expect(abs(try #require(low) - Angle.inDegrees(3 - (2 * .pi - 3.1))) < 0.01)
    #expect(abs(try #require(high) - Angle.inDegrees(3.3 - (2 * .pi - 3.1))) < 0.01)
  }

  @Test func rangesAndWhereTheyWereRejected() throws {
    var run = HandMadeRun()
    var used = run.update(2)
    used.details = [
      "range": .number(4.05), "rangeUse": "used", "innovation": .number(0.2), "innovationStd": .number(0.1),
    ]
    var rejected = run.update(6)
    rejected.details = ["range": .number(9), "rangeUse": "rejected"]
    run.updates = [used, run.update(3), rejected]
    let ranges = try #require(try model(run).at("peers", 0, "series", "ranges"))
    #expect(ranges.at("range") == .array([.number(4.05), .integer(9)]))
    #expect(ranges.at("innovation") == .array([.integer(2), .null]))
    #expect(ranges.at("y") == .array([.null, .number(0.6)]))
    #expect(ranges.at("use", "words") == .array(["used", "rejected"]))
  }

  @Test func spansAndCameraWords() throws {
    var run = HandMadeRun()
    run.updates = (0..<4).map { Double($0) }.map { run.update($0) }
    run.updates[0].status = "notConverged"
    run.updates[0].reasons = ["insufficientMovement"]
    run.updates[2].details["camera"] = "dark"
    let series = try #require(try model(run).at("peers", 0, "series"))
    #expect(series.at("spans", 0, "words") == .array(["notConverged", "insufficientMovement"]))
    #expect(series.at("spans", 0, "to") == 1)
    #expect(series.at("spans", 1, "words") == .array(["converged"]))
    #expect(series.at("spans", 1, "to") == 3)
    #expect(series.at("camera") == .array([["from": 2, "to": 3, "words": .array(["dark"])]]))
  }

  /// What the strip shows is what the phone asks for; a premise is refuted from the update on that names it.
  @Test func theStripAsksWhatThePhoneAsks() throws {
    var run = HandMadeRun()
    let found = RunVerdict.Finding(
      state: .broken, code: "rangeUnit", family: "radio", peer: "tag", sentence: "in feet", remedy: "write metres")
    run.result = ["start": 0, "verdict": RunVerdict([found]).json]
    run.updates = (0..<4).map { Double($0) }.map { run.update($0) }
    for index in 0..<2 {
      run.updates[index].status = "notConverged"
      run.updates[index].reasons = ["insufficientVerticalSweep"]
      run.updates[index].guidance = index == 0 ? "Move your phone from side to side." : "Move your phone up and down."
    }
    run.updates[3].status = "unknown"
    run.updates[3].details["findings"] = ["rangeUnit": .null, "noTrajectory": .null]
    let series = try #require(try model(run).at("peers", 0, "series"))
    #expect(series.at("spans", 0, "asks")?.text == run.updates[0].guidance)
    #expect(series.at("spans", 1, "asks")?.text == run.updates[1].guidance)
    #expect(series.at("spans", 2, "refuted") == nil && series.at("spans", 3, "refuted")?.text == "rangeUnit")
    #expect(series.at("updates", "refuted", "at") == .array([.null, .null, .null, 0]))
  }

  @Test func headlinesAreSentences() throws {
    var run = HandMadeRun()
    run.updates = [run.update(2), run.update(5)]
    #expect(
      try model(run).at("peers", 0, "headline")
        == "3.5 m away, ahead, on our level; converged after 2.0 s; the angle was 0.0 degrees off")
    run.updates = [
      UpdateRecord(timestamp: HandMadeRun.time(1), peer: "tag", status: "notConverged", guidance: "Move on.")
    ]
    #expect(try model(run).at("peers", 0, "headline") == "ranges received, but no distance; not converged: move on")
    // A lost direction is not compared.
    run.updates[0].distance = 2.04
    #expect(
      try model(run).at("peers", 0, "headline")
        == "2.0 m away, direction not known; not converged: move on; the distance was 1.86 m off")
  }

  /// Missing parts leave a valid model.
  @Test func emptyRunsAreStillPages() throws {
    var run = HandMadeRun()
    run.hasPoses = false
    var model = try model(run)
    #expect(model.at("peers") == .array([]))
    #expect(
      model.at("notes")
        == .array(["No ranges were received.", "There is no trajectory: nothing can be drawn on the plan."]))
    run.hasTruth = false
    run.hasPoses = true
    run.updates = [run.update(1)]
    model = try self.model(run)
    #expect(model.at("nees") == .null)
    #expect(model.at("path", "truth") == .null)
    #expect(model.at("peers", 0, "series", "updates", "angleError") == .array([.null]))
    #expect(model.at("peers", 0, "facts") == .array([]))
    run.knowsDevice = false
    model = try self.model(run)
    #expect(try #require(model.at("path", "heading")).numbers.allSatisfy { $0 == nil })
  }

  /// Places of the posterior on the plan: ahead of the device is up, and mirror images keep their sides.
  @Test func placesAreOnThePlan() throws {
    var run = HandMadeRun()
    run.updates = [run.update(5)]
    var input = try run.input()
    let rotation = HandMadeRun.worldFromTruth.rotation
    let places = [Vector3(0, 1, 0), Vector3(1, 0, 0), Vector3(0, -1, 0)].enumerated().map { index, direction in
      PosteriorMoment.Place(
        share: [0.7, 0.296, 0.004][index], direction: rotation * direction, distance: 2, sideways: 0.1, upwards: 0.2)
    }
    input.posterior = ["tag": [.init(timestamp: HandMadeRun.time(5), places: places)]]
    let posterior = try #require(ReportModel.json(input).at("peers", 0, "series", "posterior"))
    #expect(posterior["t"] == .array([5]))
    // The device is 0.5 m ahead of its start. The last place is too unlikely to be drawn; 1.645 sigma in degrees.
    #expect(posterior.at("places", 0, 0) == .array([70, 0, 2.5, 0, 9.4, 18.8].map { JSONValue.number($0).whole }))
    #expect(posterior.at("places", 0, 1) == .array([30, 2, 0.5, 0, 9.4, 18.8].map { JSONValue.number($0).whole }))
    #expect(posterior.at("places", 0, 2) == nil)
  }

  /// What is not published at the end has no error there.
  @Test func theEndIsTheEnd() throws {
    var run = HandMadeRun()
    run.updates = [run.update(1, error: Vector3(0.2, 0, 0)), run.update(2)]
    func note(_ run: HandMadeRun) throws -> String? {
      guard case .array(let facts)? = try model(run).at("peers", 0, "facts") else { return nil }
      return facts.first { $0["name"]?.text == "position error" }?["note"]?.text
    }
    #expect(try note(run)?.hasPrefix("at the end") == true)
    run.updates[1].worldPosition = nil
    run.updates[1].positionCovariance = nil
    #expect(try note(run)?.hasPrefix("median; none at the end") == true)
  }
}

extension JSONValue {
  /// A whole number without its point, as the page has it.
  fileprivate var whole: JSONValue { double.flatMap { Int(exactly: $0) }.map { .integer($0) } ?? self }
}

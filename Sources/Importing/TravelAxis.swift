import Foundation
import Geometry

/// Which way a device travels, in its body's axes, and how far from "ahead": robots and vehicles travel ahead, and a
/// body whose axes are not the device's shows as a course that lies a quarter turn off.
struct TravelAxis {
  /// A step ends when the body has moved this far, metres: beyond what a tracker's noise does.
  private static let step = 0.2
  /// A step that took longer is left out, seconds: the body stood, or turned on the spot.
  private static let longest = 3.0
  /// So far a device must have travelled, metres.
  private static let least = 3.0
  /// How much the directions of the steps must agree, 0 to 1: the length of their mean.
  private static let agreement = 0.7

  /// What was found.
  struct Outcome {
    /// The course, counted from ahead, radians, positive right.
    var angle: Double
    /// The mean direction of travel, and of up, in the body's axes.
    var travel: Vector3, up: Vector3
    /// Metres travelled.
    var distance: Double
    /// Whether it also went the other way along the same line for a tenth of the distance or more.
    var reverses: Bool
  }

  private let bodyFromDevice: Rotation
  private var start: (pose: Pose, seconds: Double)?
  private var cosine = 0.0, sine = 0.0, doubleCosine = 0.0, doubleSine = 0.0
  private var travel = Vector3.zero, up = Vector3.zero
  private var distance = 0.0
  /// Steps by their angle, for the share that goes the other way.
  private var steps: [(angle: Double, length: Double, travel: Vector3)] = []

  init(bodyFromDevice: Pose) { self.bodyFromDevice = bodyFromDevice.rotation }

  /// Adds a pose of the body in a world with z up; `seconds` on any clock.
  mutating func add(_ worldFromBody: Pose, at seconds: Double) {
    guard let from = start else {
      start = (worldFromBody, seconds)
      return
    }
    let moved = worldFromBody.translation - from.pose.translation
    let level = Vector3(moved.x, moved.y, 0)
    guard level.norm >= Self.step || seconds - from.seconds > Self.longest else { return }
    start = (worldFromBody, seconds)
    guard level.norm >= Self.step, seconds - from.seconds <= Self.longest else { return }
    let angle = HorizontalAngle.of(level, worldFromDevice: from.pose.rotation * bodyFromDevice)
    let inBody = from.pose.rotation.inverse * level
    steps.append((angle, level.norm, inBody))
    distance += level.norm
    cosine += level.norm * cos(angle)
    sine += level.norm * sin(angle)
    doubleCosine += level.norm * cos(2 * angle)
    doubleSine += level.norm * sin(2 * angle)
    up += level.norm * (from.pose.rotation.inverse * Vector3(0, 0, 1))
  }

  /// The axis of travel; nil where the device went no particular way.
  ///
  /// The line is found first (the doubled angle, which is the same forwards and back), then which end of it was ahead for
  /// most of the way.
  var outcome: Outcome? {
    guard distance >= Self.least,
      (doubleCosine * doubleCosine + doubleSine * doubleSine).squareRoot() >= Self.agreement * distance
    else { return nil }
    var axis = 0.5 * atan2(doubleSine, doubleCosine)
    if cosine * cos(axis) + sine * sin(axis) < 0 { axis = Angle.wrapped(axis + .pi) }
    var mean = Vector3.zero, back = 0.0
    for step in steps {
      let isBack = cos(step.angle - axis) < 0
      mean += isBack ? -step.travel : step.travel
      if isBack { back += step.length }
    }
    guard mean.norm > 0, up.norm > 0 else { return nil }
    return Outcome(
      angle: axis, travel: mean.normalized, up: up.normalized, distance: distance, reverses: back > 0.1 * distance)
  }
}

extension TravelAxis.Outcome {
  /// Says where the device travels, and warns where that is not ahead.
  ///
  /// - Parameter isStated: whether the recording states the device's axes.
  func judge(isStated: Bool, _ report: inout ImportReport) {
    let degrees = angle * 180 / .pi
    report.figures["course, counted from ahead, positive right [deg]"] = degrees
    let side =
      abs(degrees) > 135
      ? "backwards" : "\(Figures.fixed(abs(degrees), 0)) degrees \(degrees > 0 ? "right" : "left") of ahead"
    guard abs(degrees) > 45 else {
      return report.decide("the device travels ahead, within \(Figures.fixed(abs(degrees), 0)) degrees")
    }
    let way = Self.words(travel)
    let fix =
      DeviceAxes.nearest(forward: travel, up: up).map {
        "if it looks where it travels: device: \($0) in the map, or --device"
      }
      ?? "state device_T_BS in dataset.yaml"
    report.find(
      "deviceAxes", .note, "the device travels \(side), along \(way) of its body: every angle counts from ahead",
      evidence: "\(Figures.fixed(distance, 1)) m of the way"
        + (reverses ? ", some of it the other way" : "")
        + (isStated ? "; the device's axes are stated" : "; the device's axes are not stated, and assumed"),
      remedy: "\(fix) (docs/axes.md); a device that looks to the side is right as it is")
  }

  private static func words(_ v: Vector3) -> String {
    let values = [v.x, v.y, v.z]
    guard let index = values.indices.max(by: { abs(values[$0]) < abs(values[$1]) }), abs(values[index]) > 0.866 else {
      return "(\(values.map { Figures.fixed($0, 2) }.joined(separator: ", ")))"
    }
    return (values[index] < 0 ? "-" : "+") + ["x", "y", "z"][index]
  }
}

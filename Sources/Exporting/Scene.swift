import Datasets
import Foundation
import Geometry
import JSONText
import RunResults
import SensorData

/// What Foxglove draws, as its messages.
enum Scene {
  static func time(_ t: Timestamp) -> JSONValue {
    let (seconds, rest) = t.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return ["sec": .integer(Int(seconds)), "nsec": .integer(Int(rest))]
  }

  static func vector(_ v: Vector3) -> JSONValue { ["x": .number(v.x), "y": .number(v.y), "z": .number(v.z)] }

  static func quaternion(_ r: Rotation) -> JSONValue {
    ["x": .number(r.v.x), "y": .number(r.v.y), "z": .number(r.v.z), "w": .number(r.w)]
  }

  static func pose(_ p: Pose) -> JSONValue {
    ["position": vector(p.translation), "orientation": quaternion(p.rotation)]
  }

  static func transform(_ pose: Pose, _ parent: String, _ child: String, _ t: Timestamp) -> JSONValue {
    [
      "timestamp": time(t), "parent_frame_id": .string(parent), "child_frame_id": .string(child),
      "translation": vector(pose.translation), "rotation": quaternion(pose.rotation),
    ]
  }

  private static func color(_ r: Double, _ g: Double, _ b: Double, _ a: Double) -> JSONValue {
    ["r": .number(r), "g": .number(g), "b": .number(b), "a": .number(a)]
  }

  /// A peer: a sphere that encloses two sigma along each axis, an arrow from the device, a cone as wide as the interval
  /// of its angle, and its distance. Nothing where no place is published: what stood there goes.
  static func peer(_ peer: String, _ update: UpdateRecord, device: Vector3?) -> JSONValue {
    guard let place = update.worldPosition else {
      return [
        "deletions": .array([["timestamp": time(update.timestamp), "type": .integer(0), "id": .string(peer)]]),
        "entities": .array([]),
      ]
    }
    let isConverged = update.status == "converged"
    let paint = isConverged ? color(0.1, 0.7, 0.2, 0.5) : color(0.9, 0.6, 0.1, 0.4)
    var size = Vector3(0.1, 0.1, 0.1)
    if let c = update.positionCovariance {
      let sigma = Vector3(c[0, 0], c[1, 1], c[2, 2])
      size = SIMD3(repeating: 4) * pointwiseMax(sigma, .zero).squareRoot()
    }
    var arrows: [JSONValue] = [], cones: [JSONValue] = []
    if let device, (place - device).norm > 0.2 {
      let ray = place - device
      // Arrows and cones lie along x and z of their pose.
      let turn = Rotation.carrying(Vector3(1, 0, 0), into: ray.normalized)
      arrows.append([
        "pose": pose(Pose(rotation: turn, translation: device)), "shaft_length": .number(0.85 * ray.norm),
        "shaft_diameter": .number(0.03), "head_length": .number(0.15 * ray.norm), "head_diameter": .number(0.08),
        "color": paint,
      ])
      if let angle = update.horizontalAngle {
        let radius = ray.norm * tan(min(0.5 * (angle.high - angle.low), 1.4))
        // The tip of a cone is its top: at the device, the bottom at the peer.
        let axis = Rotation.carrying(Vector3(0, 0, 1), into: -ray.normalized)
        cones.append([
          "pose": pose(Pose(rotation: axis, translation: device + 0.5 * ray)),
          "size": vector(Vector3(2 * radius, 2 * radius, ray.norm)), "bottom_scale": .number(1),
          "top_scale": .number(0), "color": color(0.2, 0.4, 0.9, 0.15),
        ])
      }
    }
    let words = update.distance.map { "\(peer): \(Int(($0 * 100).rounded())) cm" } ?? peer
    let entity: JSONValue = [
      "timestamp": time(update.timestamp), "frame_id": .string("world"), "id": .string(peer),
      "lifetime": ["sec": .integer(0), "nsec": .integer(0)], "frame_locked": .bool(false),
      "metadata": .array([
        ["key": .string("status"), "value": .string(update.status)],
        ["key": .string("vertical"), "value": .string(update.verticalDirectionEstimate ?? "unknown")],
      ]), "arrows": .array(arrows), "cubes": .array([]),
      "spheres": .array([
        ["pose": pose(Pose(translation: place)), "size": vector(size), "color": paint]
      ]), "cylinders": .array(cones), "lines": .array([]), "triangles": .array([]),
      "texts": .array([
        [
          "pose": pose(Pose(translation: place + Vector3(0, 0, 0.3))), "billboard": .bool(true),
          "font_size": .number(14), "scale_invariant": .bool(true), "color": color(1, 1, 1, 1), "text": .string(words),
        ]
      ]), "models": .array([]),
    ]
    return ["deletions": .array([]), "entities": .array([entity])]
  }

  /// The tracks of a frame as points.
  static func tracks(_ frame: CameraFrame) -> JSONValue {
    let green = color(0.2, 0.9, 0.3, 1)
    return [
      "circles": .array([]),
      "points": .array([
        [
          "timestamp": time(frame.timestamp), "type": .integer(1),
          "points": .array(frame.features.map { ["x": .number($0.u), "y": .number($0.v)] }), "outline_color": green,
          "outline_colors": .array([]), "fill_color": green, "thickness": .number(4),
        ]
      ]), "texts": .array([]),
    ]
  }

  /// Calibration of a camera; models that Foxglove does not have are given without distortion.
  static func calibration(_ camera: CameraCalibration, _ frame: String, _ t: Timestamp) -> JSONValue {
    let (model, coefficients): (String, [Double]) =
      switch camera.distortion {
      case .radialTangential(let k1, let k2, let p1, let p2): ("plumb_bob", [k1, k2, p1, p2, 0])
      case .rational(let k1, let k2, let p1, let p2, let k3, let k4, let k5, let k6):
        ("rational_polynomial", [k1, k2, p1, p2, k3, k4, k5, k6])
      case .equidistant(let k1, let k2, let k3, let k4): ("kannala_brandt", [k1, k2, k3, k4])
      case .none, .fieldOfView, .omni, .doubleSphere, .extendedUnified: ("", [])
      }
    func list(_ values: [Double]) -> JSONValue { .array(values.map { .number($0) }) }
    return [
      "timestamp": time(t), "frame_id": .string(frame), "width": .integer(camera.width),
      "height": .integer(camera.height), "distortion_model": .string(model), "D": list(coefficients),
      "K": list([camera.fx, 0, camera.cx, 0, camera.fy, camera.cy, 0, 0, 1]), "R": list([1, 0, 0, 0, 1, 0, 0, 0, 1]),
      "P": list([camera.fx, 0, camera.cx, 0, 0, camera.fy, camera.cy, 0, 0, 0, 1, 0]),
    ]
  }
}

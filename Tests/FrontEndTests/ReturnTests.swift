import Foundation
import FrontEnd
import Geometry
import Images
import SensorData
import Simulation
import Testing

/// Tracks whose points go over the edge of the image and come back: a camera turns to the right and back before a picture far away.
@Suite struct ReturnTests {
  private static let camera = CameraCalibration(
    bodyFromCamera: .identity, fx: 200, fy: 200, cx: 159.5, cy: 119.5, width: 320, height: 240)
  private static let frames = 40, rate = 20.0, farthest = 0.9

  /// Camera axes at that time, y down: to the right and back within two seconds.
  private static func worldFromCamera(at time: Double) -> Rotation {
    .exp(Vector3(0, farthest * (1 - cos(.pi * time)) / 2, 0))
  }

  private static func direction(_ place: SIMD2<Double>) -> Vector3 {
    Vector3((place.x - camera.cx) / camera.fx, (place.y - camera.cy) / camera.fy, 1)
  }

  private static func place(_ direction: Vector3) -> SIMD2<Double>? {
    guard direction.z > 0 else { return nil }
    return SIMD2(
      camera.fx * direction.x / direction.z + camera.cx, camera.fy * direction.y / direction.z + camera.cy)
  }

  /// A pattern all around, 250 pixels a radian, painted once: what is between its pixels is interpolated.
  private struct Panorama {
    private static let scale = 250.0, left = 220, up = 240, width = 680, height = 480
    private let values: [Double]

    init(seed: UInt64) {
      let pattern = Pattern(seed: seed)
      values = (0..<Self.width * Self.height).map {
        pattern.value(Double($0 % Self.width), Double($0 / Self.width))
      }
    }

    /// The grey level in a direction, radians to the right and tangent down.
    func value(_ right: Double, _ down: Double) -> Double {
      let x = Self.scale * right + Double(Self.left), y = Self.scale * down + Double(Self.up)
      let column = min(max(Int(x), 0), Self.width - 2), row = min(max(Int(y), 0), Self.height - 2)
      let (u, v) = (x - Double(column), y - Double(row)), index = row * Self.width + column
      let upper = values[index] + u * (values[index + 1] - values[index])
      let lower = values[index + Self.width] + u * (values[index + Self.width + 1] - values[index + Self.width])
      return upper + v * (lower - upper)
    }
  }

  /// The tracks of all frames; `picture` shows a direction of the world, by right and down, at a frame.
  private static func tracks(
    hasGyroscope: Bool = true, picture: (Int, Double, Double) -> Double
  ) -> (frames: [[Int64: SIMD2<Double>]], returned: Int) {
    let imu = IMUCalibration(
      bodyFromIMU: .identity, gyroscopeNoiseDensity: 1e-3, gyroscopeRandomWalk: 1e-5,
      accelerometerNoiseDensity: 1e-2, accelerometerRandomWalk: 1e-4)
    let frontEnd = ImageFrontEnd(rig: RigCalibration(imu: imu, cameras: [camera]), masks: [])
    // More bias than the search for a patch that comes back could bridge.
    let bias = Vector3(0.004, 0.018, -0.006)
    var made: [[Int64: SIMD2<Double>]] = []
    for index in 0..<frames {
      let time = Double(index) / rate
      if hasGyroscope {
        for k in 0..<10 {
          let now = time + Double(k - 9) / 200
          let angularRate = Vector3(0, farthest * .pi / 2 * sin(.pi * now), 0)
          frontEnd.add(
            IMUSample(timestamp: stamp(now), angularVelocity: angularRate + bias, specificForce: .zero))
        }
      }
      let turn = worldFromCamera(at: time)
      let pixels = (0..<camera.width * camera.height).map { pixel -> UInt8 in
        let ray = turn * direction(SIMD2(Double(pixel % camera.width), Double(pixel / camera.width)))
        let value = picture(index, atan2(ray.x, ray.z), ray.y / (ray.x * ray.x + ray.z * ray.z).squareRoot())
        return UInt8(min(max(value.rounded(), 0), 255))
      }
      let image = GrayImage(width: camera.width, height: camera.height, pixels: pixels)
      let features = frontEnd.frames([image], at: stamp(time)).first?.features ?? []
      made.append(Dictionary(uniqueKeysWithValues: features.map { ($0.featureID, SIMD2($0.u, $0.v)) }))
    }
    return (made, frontEnd.returned)
  }

  private static func stamp(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: 1_000_000_000).advanced(bySeconds: seconds)
  }

  /// Tracks of the first frame that the farthest one did not see, and where the last one should see them; those near its edge left out.
  private static func awaited(_ frames: [[Int64: SIMD2<Double>]]) -> [Int64: SIMD2<Double>] {
    let turn = worldFromCamera(at: Double(frames.count - 1) / rate).inverse
    return frames[0].filter { frames[frames.count / 2][$0.key] == nil }.compactMapValues { first in
      place(turn * direction(first)).flatMap { place in
        all(place .>= 20) && place.x < 299 && place.y < 219 ? place : nil
      }
    }
  }

  @Test(arguments: [11, 12] as [UInt64])
  func whatComesBackHasItsOldID(seed: UInt64) {
    let world = Panorama(seed: seed)
    let (frames, returned) = Self.tracks { _, right, down in world.value(right, down) }
    let awaited = Self.awaited(frames)
    let errors = awaited.compactMap { id, place in
      frames.last?[id].map { (($0 - place) * ($0 - place)).sum().squareRoot() }
    }.sorted()
    #expect(awaited.count > 50 && returned >= errors.count)
    #expect(errors.count > awaited.count / 2, "\(errors.count) of \(awaited.count)")
    guard !errors.isEmpty else { return }
    #expect(errors[errors.count / 2] <= 0.3 && errors[errors.count * 95 / 100] <= 1, "\(errors)")
  }

  /// What was hung up there meanwhile is nobody's old acquaintance.
  @Test func whatIsThereInsteadIsNotTakenForIt() {
    var awaited = 0, back = 0
    for seed in [21, 22, 23] as [UInt64] {
      let world = Panorama(seed: seed), other = Panorama(seed: seed + 100)
      let (frames, _) = Self.tracks { frame, right, down in
        // The farthest frame sees what is beyond this.
        let isOther = frame >= Self.frames / 2 && right < 0.2
        return (isOther ? other : world).value(right, down)
      }
      let missing = Self.awaited(frames)
      awaited += missing.count
      back += missing.keys.count { frames.last?[$0] != nil }
    }
    #expect(awaited > 150 && back <= awaited / 50, "\(back) of \(awaited)")
  }

  @Test func withoutAGyroscopeNobodyIsAwaited() {
    let world = Panorama(seed: 11)
    let (frames, returned) = Self.tracks(hasGyroscope: false) { _, right, down in
      world.value(right, down)
    }
    #expect(returned == 0 && frames.allSatisfy { $0.count > 50 })
  }
}

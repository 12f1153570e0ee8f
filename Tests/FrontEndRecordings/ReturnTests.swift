import Foundation
import FrontEnd
import FrontEndTestSupport
import Geometry
import Images
import SensorData
import Simulation
import Testing

/// Tracks whose points leave the image and return: a camera rotates to the right and back before a distant scene.
@Suite struct ReturnTests {
  private static let camera = CameraCalibration(
    bodyFromCamera: .identity, fx: 200, fy: 200, cx: 159.5, cy: 119.5, width: 320, height: 240)
  private static let frames = 40, rate = 20.0, farthest = 0.9

  /// Camera axes at that time, y down: to the right and back within two seconds.
  private static func worldFromCamera(at time: Double) -> Rotation {
    .exp(Vector3(0, farthest * (1 - cos(.pi * time)) / 2, 0))
  }

  private static func direction(_ position: SIMD2<Double>) -> Vector3 {
    Vector3((position.x - camera.cx) / camera.fx, (position.y - camera.cy) / camera.fy, 1)
  }

  private static func position(_ direction: Vector3) -> SIMD2<Double>? {
    guard direction.z > 0 else { return nil }
    return SIMD2(
      camera.fx * direction.x / direction.z + camera.cx, camera.fy * direction.y / direction.z + camera.cy)
  }

  /// A surrounding pattern, 250 pixels per radian, painted once and interpolated between pixels.
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

  /// The tracks of all frames; `grey` is the grey level in a direction of the world, by right and down, at a frame.
  private static func tracks(
    hasGyroscope: Bool = true, grey: (Int, Double, Double) -> Double
  ) -> (frames: [[Int64: SIMD2<Double>]], returned: Int) {
    let imu = IMUCalibration(
      bodyFromIMU: .identity, gyroscopeNoiseDensity: 1e-3, gyroscopeRandomWalk: 1e-5,
      accelerometerNoiseDensity: 1e-2, accelerometerRandomWalk: 1e-4)
    let frontEnd = ImageFrontEnd(rig: RigCalibration(imu: imu, cameras: [camera]), masks: [])
    // More bias than the search for a returning patch could bridge.
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
      let rotation = worldFromCamera(at: time)
      let pixels = (0..<camera.width * camera.height).map { pixel -> UInt8 in
        let ray = rotation * direction(SIMD2(Double(pixel % camera.width), Double(pixel / camera.width)))
        let value = grey(index, atan2(ray.x, ray.z), ray.y / (ray.x * ray.x + ray.z * ray.z).squareRoot())
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

  /// Tracks of the first frame missing in the farthest one, with their true positions in the last one; those near its
  /// edge are left out.
  private static func expected(_ frames: [[Int64: SIMD2<Double>]]) -> [Int64: SIMD2<Double>] {
    let rotation = worldFromCamera(at: Double(frames.count - 1) / rate).inverse
    return frames[0].filter { frames[frames.count / 2][$0.key] == nil }.compactMapValues { first in
      position(rotation * direction(first)).flatMap { position in
        all(position .>= 20) && position.x < 299 && position.y < 219 ? position : nil
      }
    }
  }

  @Test(arguments: [11, 12] as [UInt64])
  func returningTracksKeepTheirID(seed: UInt64) {
    let world = Panorama(seed: seed)
    let (frames, returned) = Self.tracks { _, right, down in world.value(right, down) }
    let expected = Self.expected(frames)
    let errors = expected.compactMap { id, position in
      frames.last?[id].map { (($0 - position) * ($0 - position)).sum().squareRoot() }
    }.sorted()
    #expect(expected.count > 50 && returned >= errors.count)
    #expect(errors.count > expected.count / 2, "\(errors.count) of \(expected.count)")
    guard !errors.isEmpty else { return }
    #expect(errors[errors.count / 2] <= 0.3 && errors[errors.count * 95 / 100] <= 1, "\(errors)")
  }

  /// A pattern that was replaced meanwhile must not be recognised.
  @Test func aReplacedPatternIsNotRecognised() {
    var expected = 0, back = 0
    for seed in [21, 22, 23] as [UInt64] {
      let world = Panorama(seed: seed), other = Panorama(seed: seed + 100)
      let (frames, _) = Self.tracks { frame, right, down in
        // The farthest frame shows what is beyond this.
        let isOther = frame >= Self.frames / 2 && right < 0.2
        return (isOther ? other : world).value(right, down)
      }
      let missing = Self.expected(frames)
      expected += missing.count
      back += missing.keys.count { frames.last?[$0] != nil }
    }
    #expect(expected > 150 && back <= expected / 50, "\(back) of \(expected)")
  }

  @Test func withoutAGyroscopeNoTrackIsRecovered() {
    let world = Panorama(seed: 11)
    let (frames, returned) = Self.tracks(hasGyroscope: false) { _, right, down in
      world.value(right, down)
    }
    #expect(returned == 0 && frames.allSatisfy { $0.count > 50 })
  }
}

import Foundation
import Geometry
import NearbyInteraction
import RecordedDevices
import SensorData
import Testing
import simd

/// What a frame says of its image: size, pinhole, light, and where points appear.
@Suite struct ARImageTests {
  final class Observer: NSObject, ARSessionDelegate {
    var frames: [ARFrame] = []
    func session(_ session: ARSession, didUpdate frame: ARFrame) { frames.append(frame) }
  }

  /// Frames of a recording, played with its `mean_luma`.
  static func frames(_ name: String, light: Bool = true) async throws -> [ARFrame] {
    let phone = try PhoneAppTests.recording(name)
    let observer = Observer()
    let session = NearbyDevice.with(phone.device) {
      let session = ARSession()
      session.delegate = observer
      let configuration = ARWorldTrackingConfiguration()
      configuration.isLightEstimationEnabled = light
      session.run(configuration)
      return session
    }
    try await PhoneAppTests.world(phone).play()
    withExtendedLifetime(session) {}
    return observer.frames
  }

  /// The camera of `demo` is upright in the phone: 640 columns from left to right. ARKit's image is that of landscape.
  @Test func theImageIsThatOfLandscape() async throws {
    let frames = try await Self.frames("demo")
    let camera = try #require(frames.last).camera
    #expect(camera.imageResolution == CGSize(width: 480, height: 640))
    let k = camera.intrinsics
    #expect(abs(k.columns.0.x - 420.84) < 0.01 && abs(k.columns.1.y - 420) < 0.01)
    #expect(abs(k.columns.2.x - 238.6) < 0.01 && abs(k.columns.2.y - (640 - 321.3)) < 0.01 && k.columns.2.z == 1)
    let image = try #require(frames.last).capturedImage
    #expect(CVPixelBufferGetWidth(image) == 480 && CVPixelBufferGetHeight(image) == 640)
    #expect(CVPixelBufferGetBaseAddress(image) == nil && CVPixelBufferGetPlaneCount(image) == 0)
    #expect(frames.allSatisfy { $0.rawFeaturePoints == nil })
  }

  /// The light of the room, and of the dark; nil where it is not asked for.
  @Test func lightFollowsTheBrightness() async throws {
    let lights = try await Self.frames("dark").compactMap(\.lightEstimate?.ambientIntensity)
    #expect(lights.count { $0 > 800 } > 100 && lights.count { $0 < 100 } > 10, "\(lights.count)")
    let asked = try await Self.frames("demo", light: false)
    #expect(!asked.isEmpty && asked.allSatisfy { $0.lightEstimate == nil })
  }

  /// Points on the axes of the phone appear where a user sees them, in every orientation of the interface.
  @Test func pointsAppearWhereTheyAreSeen() throws {
    let intrinsics = simd_float3x3(simd_float3(500, 0, 0), simd_float3(0, 510, 0), simd_float3(330, 230, 1))
    let camera = ARCamera(
      transform: matrix_identity_float4x4,
      image: .init(intrinsics: intrinsics, size: CGSize(width: 640, height: 480)))
    func place(_ x: Float, _ y: Float, _ orientation: UIInterfaceOrientation, _ size: CGSize) -> CGPoint {
      camera.projectPoint(simd_float3(x, y, -2), orientation: orientation, viewportSize: size)
    }
    let landscape = CGSize(width: 640, height: 480), portrait = CGSize(width: 480, height: 640)
    // On the axis: the principal point, as the interface is turned.
    for (orientation, size, x, y) in [
      (UIInterfaceOrientation.landscapeRight, landscape, 330.0, 230.0), (.landscapeLeft, landscape, 310, 250),
      (.portrait, portrait, 250, 330), (.portraitUpsideDown, portrait, 230, 310),
    ] {
      let found = place(0, 0, orientation, size)
      #expect(abs(found.x - x) < 1e-3 && abs(found.y - y) < 1e-3, "\(orientation): \(found)")
    }
    // 0.2 m to the camera's right, which is the phone's lower edge, at 2 m: 50 pixels.
    for (orientation, size, dx, dy) in [
      (UIInterfaceOrientation.landscapeRight, landscape, 50.0, 0.0), (.landscapeLeft, landscape, -50, 0),
      (.portrait, portrait, 0, 50), (.portraitUpsideDown, portrait, 0, -50),
    ] {
      let (from, to) = (place(0, 0, orientation, size), place(0.2, 0, orientation, size))
      #expect(abs(to.x - from.x - dx) < 1e-2 && abs(to.y - from.y - dy) < 1e-2, "\(orientation)")
    }
    // 0.2 m up in landscape, which is the phone's right edge: 51 pixels.
    let up = place(0, 0.2, .landscapeRight, landscape), right = place(0, 0.2, .portrait, portrait)
    #expect(abs(up.y - 179) < 1e-2 && abs(right.x - 301) < 1e-2)
    // A view of twice the height shows the image twice as large, cut at the sides.
    let filled = place(0, 0, .landscapeRight, CGSize(width: 640, height: 960))
    #expect(abs(filled.x - (320 + 20)) < 1e-2 && abs(filled.y - 460) < 1e-2)
    // No image: never a number that is none.
    let none = ARCamera(transform: matrix_identity_float4x4)
    #expect(none.projectPoint(.zero, orientation: .portrait, viewportSize: portrait) == .zero)
    let aside = camera.projectPoint(simd_float3(1, 0, 0), orientation: .portrait, viewportSize: portrait)
    #expect(aside.x.isFinite && aside.y.isFinite)
  }

  /// The view matrix takes the world to the axes of the view.
  @Test func theViewMatrixTurnsWithTheInterface() {
    let camera = ARCamera(transform: simd_float4x4(simd_quatf(angle: 0.4, axis: simd_float3(0, 1, 0))))
    let along = camera.transform * simd_float4(1, 0, 0, 0)
    let seen = camera.viewMatrix(for: .portrait) * along
    #expect(simd_distance(seen, simd_float4(0, -1, 0, 0)) < 1e-6, "the lower edge is down")
  }

  @Test func formatsAndDetectionAreAccepted() throws {
    let device = Tape.device()
    NearbyDevice.with(device) {
      let formats = ARWorldTrackingConfiguration.supportedVideoFormats
      #expect(formats.count == (device.videoFormat == nil ? 0 : 1))
    }
    let phone = try PhoneAppTests.recording("demo")
    try NearbyDevice.with(phone.device) {
      let format = try #require(ARWorldTrackingConfiguration.supportedVideoFormats.first)
      #expect(format.imageResolution == CGSize(width: 480, height: 640) && format.framesPerSecond == 20)
      let configuration = ARWorldTrackingConfiguration()
      #expect(configuration.videoFormat == format)
      #expect(configuration.detectionImages.isEmpty && configuration.detectionObjects.isEmpty)
      configuration.detectionImages = nil
      configuration.maximumNumberOfTrackedImages = 2
      let copy = try #require(configuration.copy() as? ARWorldTrackingConfiguration)
      #expect(copy.videoFormat == format && copy.detectionImages == [] && copy.maximumNumberOfTrackedImages == 2)
    }
    #expect(ARReferenceImage.referenceImages(inGroupNamed: "AR Resources", bundle: nil) == nil)
    #expect(ARReferenceObject.referenceObjects(inGroupNamed: "AR Resources", bundle: nil) == nil)
  }
}

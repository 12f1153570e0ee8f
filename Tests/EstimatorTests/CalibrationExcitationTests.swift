import Estimator
import EstimatorTestSupport
import Foundation
import Geometry
import Testing

/// Which motions excite which calibration parameters.
@Suite struct CalibrationExcitationTests {
  static let view = CalibrationExcitation.View(noise: 5e-5, spread: 0.4, opticalAxis: Vector3(0, 0, 1))
  static var sigmas: CalibrationConfiguration {
    var sigmas = CalibrationConfiguration.allOnline
    sigmas.axes = 0.01
    return sigmas
  }

  /// Parts excited after ten seconds of a motion, given by its angular velocity and acceleration.
  static func parts(
    _ angularVelocity: (Double) -> Vector3, _ acceleration: (Double) -> Vector3 = { _ in .zero },
    _ sigmas: CalibrationConfiguration = sigmas, noise: (rate: Double, force: Double) = (0, 0)
  ) -> Set<CalibrationPart> {
    var excitation = CalibrationExcitation()
    for i in 0..<2000 {
      let t = 0.005 * Double(i)
      excitation.add(angularVelocity: angularVelocity(t), acceleration: acceleration(t), seconds: 0.005, noise: noise)
    }
    return excitation.parts(view, sigmas)
  }

  static func waving(_ t: Double) -> Vector3 { Vector3(0.3 * cos(t), 0.4 * cos(1.3 * t), 0.2 * cos(0.7 * t)) }
  static func swaying(_ t: Double) -> Vector3 { Vector3(0.6 * cos(2 * t), 0, 0.4 * cos(3 * t)) }

  @Test func stationaryAndUniformMotionExciteNothing() {
    #expect(Self.parts { _ in .zero }.isEmpty)
    #expect(Self.parts({ _ in .zero }, { _ in Vector3(0.5, 0.2, 0) }).isEmpty, "an even acceleration")
    #expect(Self.parts({ _ in .zero }, Self.swaying).isEmpty, "no rotation")
  }

  @Test func aConstantRateExcitesNeitherDelayNorTranslation() {
    #expect(Self.parts({ _ in Vector3(0, 0.3, 0) }, Self.swaying) == [.lens])
    #expect(Self.parts({ _ in Vector3(0, 0, 0.3) }, Self.swaying).isEmpty, "about the optical axis")
    #expect(Self.parts({ Vector3(0, 0.3 * cos($0), 0) }, Self.swaying) == [.lens, .timeOffset])
  }

  @Test func nothingIsExcitedWithoutVaryingAcceleration() {
    #expect(Self.parts(Self.waving).isEmpty)
    #expect(Self.parts(Self.waving) { _ in Vector3(0.5, 0, 0) }.isEmpty)
    #expect(Self.parts(Self.waving, Self.swaying) == Set(CalibrationPart.allCases))
  }

  /// Certain parameters are not estimated, and noise is no excitation.
  @Test func neitherCertainPartsNorNoiseAreExcited() {
    var certain = CalibrationConfiguration()
    (certain.rotation, certain.translation, certain.timeOffset) = (0, 0, 0)
    (certain.focalLength, certain.principalPoint) = (0, 0)
    #expect(Self.parts(Self.waving, Self.swaying, certain).isEmpty)
    let sign = { (t: Double) in (t * 200).rounded().truncatingRemainder(dividingBy: 2) == 0 ? 1.0 : -1.0 }
    let jitter = { (t: Double) in Vector3(repeating: 0.02 * sign(t)) }
    #expect(Self.parts(jitter, Self.swaying).contains(.timeOffset))
    #expect(Self.parts(jitter, Self.swaying, noise: (4e-4, 0)).isEmpty)
    let shaking = { (t: Double) in Vector3(repeating: 0.3 * sign(t)) }
    #expect(Self.parts(Self.waving, shaking) == Set(CalibrationPart.allCases))
    #expect(Self.parts(Self.waving, shaking, noise: (0, 0.09)).isEmpty)
  }
}

import CameraGeometry
import Geometry
import SensorData

extension InertialNavigation {
  /// Online calibration: parts excited by the recent motion are estimated, all others held as consider states
  /// (`ErrorCovariance.held`).
  ///
  /// - Parameter spacing: seconds since the previous frame.
  func considerCalibration(seen frame: CameraFrame, by camera: FilterCamera, spacing: Double) {
    guard learning.online else { return }
    guard let view = view(frame.features, by: camera, spacing: spacing) else { return }
    let parts = excitation.parts(view, learning)
    learnt.formUnion(parts)
    hold(Set(CalibrationPart.allCases).subtracting(parts))
  }

  /// Time after a frame's stamp for which inertial samples are needed, seconds: above 0 only if the camera's delay is
  /// estimated.
  package var lookAhead: Double { learning.online ? max(mount.delay, Self.shortestSpan) : 0 }

  /// Holds these parts and releases all others.
  func hold(_ parts: Set<CalibrationPart>) {
    covariance.held = CalibrationPart.allCases.filter(parts.contains).compactMap { part in
      rows(of: part).map { ($0.block, $0.rows) }
    }
  }

  /// Rows of a part's error in the covariance; nil if it is not estimated.
  package func rows(of part: CalibrationPart) -> (block: ErrorCovariance.Block, rows: Range<Int>)? {
    switch part {
    case .rotation: mountBlock.map { ($0, 0..<3) }
    case .translation: mountBlock.map { ($0, 3..<6) }
    case .timeOffset: mountBlock.map { ($0, 6..<7) }
    case .lens: lensBlock.map { ($0, 0..<4) }
    case .axes: intrinsicsBlock.map { ($0, 0..<covariance.size(of: $0)) }
    }
  }

  /// Variances of a part's parameters; empty if it is not estimated.
  package func variances(of part: CalibrationPart) -> [Double] {
    guard let (block, rows) = rows(of: part) else { return [] }
    let offset = covariance.offset(of: block)
    return rows.map { covariance[offset + $0, offset + $0] }
  }

  /// Variance due to the calibration's uncertainty after a rotation by `angle`: of a direction, rad^2, and of the
  /// camera's displacement, m^2. 0 without online calibration.
  func calibrationVariance(rotatedBy angle: Double, since then: Timestamp) -> (angle: Double, displacement: Double) {
    guard learning.online else { return (0, 0) }
    func largest(_ part: CalibrationPart) -> Double { variances(of: part).max() ?? 0 }
    let before = samples.sample(at: then)?.angularVelocity, now = samples.sample(at: time)?.angularVelocity
    let change = before.flatMap { before in now.map { ($0 - before).squaredNorm } } ?? 0
    let square = angle * angle
    return (
      square * (largest(.rotation) + largest(.lens)) + change * largest(.timeOffset), square * largest(.translation)
    )
  }

  /// Information of such frames; nil with fewer than two features.
  private func view(_ features: [FeatureObservation], by camera: FilterCamera, spacing: Double)
    -> CalibrationExcitation.View?
  {
    guard features.count > 1, spacing > 0 else { return nil }
    let frames = max(CalibrationExcitation.memory / spacing, 1)
    let n = Double(features.count), f = camera.lens.focalLength
    let mean = features.reduce(SIMD2<Double>.zero) { $0 + SIMD2($1.u, $1.v) } / n
    let squares = features.reduce(0) { $0 + ($1.u - mean.x) * ($1.u - mean.x) + ($1.v - mean.y) * ($1.v - mean.y) }
    return CalibrationExcitation.View(
      noise: camera.pixelNoise / f / (n * frames).squareRoot(), spread: (squares / n).squareRoot() / f,
      opticalAxis: mount.imuFromCamera.rotation * Vector3(0, 0, 1))
  }

  /// The estimate of a stated calibration; nil without online calibration.
  package func estimate(of stated: CameraCalibration) -> CalibrationEstimate? {
    guard learning.online else { return nil }
    var camera = stated
    camera.bodyFromCamera = bodyFromNavigation * mount.imuFromCamera
    camera.timeOffset = stated.timeOffset + mount.delay
    if let lens { (camera.fx, camera.fy, camera.cx, camera.cy) = lens.fourNumbers }
    func sigmas(_ part: CalibrationPart, _ count: Int) -> [Double] {
      let known = variances(of: part).map { $0.squareRoot() }
      return known.isEmpty ? [Double](repeating: 0, count: count) : known
    }
    let lens = sigmas(.lens, 4)
    return CalibrationEstimate(
      camera: camera, rotation: sigmas(.rotation, 3), translation: sigmas(.translation, 3),
      timeOffset: sigmas(.timeOffset, 1)[0],
      intrinsics: [lens[0] * camera.fx, lens[1] * camera.fy, lens[2] * camera.fx, lens[3] * camera.fy],
      learnt: CalibrationPart.allCases.filter(learnt.contains))
  }
}

extension LensModel {
  fileprivate var fourNumbers: (Double, Double, Double, Double) {
    let i = intrinsics
    return (i.x, i.y, i.z, i.w)
  }
}

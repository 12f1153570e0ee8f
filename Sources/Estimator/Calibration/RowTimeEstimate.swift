import CameraGeometry
import Foundation
import Geometry
import Inertial
import LeastSquares
import SensorData

/// The time between the rows of a camera that is stated, or taken, to have a global shutter, from its tracks and the
/// gyroscope: is it one?
///
/// A static point's direction d changes by `d' = -w x d` while the camera turns at the rate w. Between two frames the
/// gyroscope's rotation R leaves, for a row time t, rows r counted from the image's middle and the other causes c,
///
///     d_1 - R d_0 = t (r_1 d'_1 - r_0 R d'_0) + c
///
/// A rotation (the clock's offset, the gyroscope's errors) and a displacement (parallax of points at one distance) are
/// fitted to every pair of frames and taken out of both sides: what remains of rows is their own. The rest gives t by
/// least squares; its 1-sigma comes from the scatter from one half second to the next: within one the points' distances err alike.
package struct RowTimeEstimate: Sendable {
  private let lens: LensModel, cameraFromIMU: Rotation
  private let timeOffset: Double, rows: Double
  private var samples = IMUBuffer()
  /// Frames whose time the inertial samples have not passed yet, and the one before them.
  private var waiting: [CameraFrame] = []
  private var last: View?
  /// Sums over pairs of frames: of `a . r` and `a . a`, those of the newest block, and those of the scatter of blocks.
  private var pairs = 0, moment = 0.0, weight = 0.0
  private var block = (began: Timestamp?.none, moment: 0.0, weight: 0.0)
  private var squares = (residual: 0.0, mixed: 0.0, model: 0.0)

  private struct View {
    var time: Timestamp
    /// Of features by id: direction and row from the middle.
    var seen: [Int64: (direction: Vector3, row: Double)]
    /// Camera's axes, rad/s.
    var rate: Vector3
  }

  /// Length of a block, seconds, and blocks, by their weight, before anything is said: their scatter is known to a fifth. After the most pairs the
  /// question is settled.
  private static let blockLength = 0.5, fewestBlocks = 12.0, mostPairs = 1200
  /// 1-sigmas at which it is said: once in 10^4 trials by chance (Student's law of 11 degrees).
  private static let significance = 7.0
  /// Frames farther apart show other points, seconds.
  private static let longestInterval = 0.2
  /// Points of a pair at least: six errors are fitted to each.
  private static let fewestPoints = 15
  /// From the first row to the last, seconds: sensors in use take 3 to 60 ms.
  private static let plausible = 0.003...0.1

  /// Nil where the first camera's row time is stated, or nothing measures its rotation.
  package init?(_ rig: RigCalibration) {
    guard let imu = rig.imu, let camera = rig.cameras.first, camera.rowTime == 0, camera.height > 1 else { return nil }
    lens = LensModel(camera)
    cameraFromIMU = camera.bodyFromCamera.rotation.inverse * imu.bodyFromIMU.rotation
    timeOffset = camera.timeOffset
    rows = Double(camera.height)
  }

  /// Takes an inertial sample in, in time order.
  package mutating func add(_ sample: IMUSample) {
    guard samples.add(sample) else { return }
    samples.forget(before: sample.timestamp.advanced(bySeconds: -2))
    while let frame = waiting.first, time(of: frame) < sample.timestamp {
      waiting.removeFirst()
      take(frame)
    }
  }

  /// Takes a frame of the first camera in, in time order; others are ignored.
  package mutating func add(_ frame: CameraFrame) {
    guard frame.camera == 0, !frame.features.isEmpty, pairs < Self.mostPairs else { return }
    waiting.append(frame)
    if waiting.count > 20 { waiting.removeFirst() }
  }

  /// Seconds from row to row, where they differ from zero beyond doubt.
  package var rowTime: (value: Double, sigma: Double)? {
    guard squares.model > 0, weight * weight > Self.fewestBlocks * squares.model else { return nil }
    let value = moment / weight
    let scatter = squares.residual - 2 * value * squares.mixed + value * value * squares.model
    let sigma = max(scatter, 0).squareRoot() / weight
    guard sigma > 0, abs(value) > Self.significance * sigma, Self.plausible.contains(abs(value) * (rows - 1)) else {
      return nil
    }
    return (value, sigma)
  }

  private func time(of frame: CameraFrame) -> Timestamp { frame.timestamp.advanced(bySeconds: timeOffset) }

  private mutating func take(_ frame: CameraFrame) {
    let time = time(of: frame)
    var view = View(time: time, seen: [:], rate: rate(at: time))
    for feature in frame.features {
      guard let direction = lens.direction(ofPixel: SIMD2(feature.u, feature.v)) else { continue }
      view.seen[feature.featureID] = (direction, feature.v - (rows - 1) / 2)
    }
    defer { last = view }
    guard let last, time > last.time, time.seconds(since: last.time) <= Self.longestInterval else { return }
    let newFromOld = rotation(from: last.time, to: time)
    var columns = [[Double]](repeating: [], count: 6), model: [Double] = [], rest: [Double] = []
    for id in view.seen.keys.sorted() {
      guard let before = last.seen[id], let after = view.seen[id] else { continue }
      let moved = newFromOld * before.direction
      let own =
        -after.row * view.rate.cross(after.direction)
        + before.row * (newFromOld * last.rate.cross(before.direction))
      let difference = after.direction - moved
      // Across the direction, in two axes: along it there is nothing to see.
      let (e1, e2) = after.direction.tangents
      for e in [e1, e2] {
        model.append(e.dot(own))
        rest.append(e.dot(difference))
        let turn = moved.cross(e)
        for k in 0..<3 {
          columns[k].append(turn[k])
          columns[3 + k].append(e[k])
        }
      }
    }
    endBlock(at: time)
    add(columns, model, rest)
  }

  /// Adds a pair of frames: takes the columns out of both sides.
  private mutating func add(_ columns: [[Double]], _ model: [Double], _ rest: [Double]) {
    guard rest.count >= 2 * Self.fewestPoints else { return }
    var basis: [[Double]] = []
    func reduced(_ vector: [Double]) -> [Double] {
      basis.reduce(vector) { left, unit in
        let share = zip(left, unit).reduce(0) { $0 + $1.0 * $1.1 }
        return zip(left, unit).map { $0 - share * $1 }
      }
    }
    for column in columns {
      let left = reduced(column)
      let length = left.reduce(0) { $0 + $1 * $1 }.squareRoot()
      if length > 1e-6 * Double(column.count).squareRoot() { basis.append(left.map { $0 / length }) }
    }
    let (a, r) = (reduced(model), reduced(rest))
    // Points that move by themselves, and wrong matches.
    let limit = 4 * (r.robustDeviation() ?? 0)
    var (ar, aa) = (0.0, 0.0)
    for k in a.indices where abs(r[k]) <= limit {
      ar += a[k] * r[k]
      aa += a[k] * a[k]
    }
    guard aa > 0, ar.isFinite, aa.isFinite else { return }
    pairs += 1
    block.moment += ar
    block.weight += aa
  }

  /// Adds a block that is full to the sums.
  private mutating func endBlock(at time: Timestamp) {
    guard let began = block.began else {
      block.began = time
      return
    }
    guard time.seconds(since: began) >= Self.blockLength else { return }
    moment += block.moment
    weight += block.weight
    squares.residual += block.moment * block.moment
    squares.mixed += block.moment * block.weight
    squares.model += block.weight * block.weight
    block = (time, 0, 0)
  }

  private func rate(at time: Timestamp) -> Vector3 {
    samples.sample(at: time).map { cameraFromIMU * $0.angularVelocity } ?? .zero
  }

  /// The camera's rotation between two times, in steps of the samples.
  private func rotation(from start: Timestamp, to end: Timestamp) -> Rotation {
    let times = [start] + samples.samples(after: start, before: end).map(\.timestamp) + [end]
    let oldFromNew = zip(times, times.dropFirst()).reduce(Rotation.identity) { turned, step in
      let seconds = step.1.seconds(since: step.0)
      return turned * Rotation.exp(seconds * rate(at: step.0.advanced(bySeconds: 0.5 * seconds)))
    }
    return oldFromNew.inverse
  }
}

extension Vector3 {
  /// Two unit vectors across a unit vector, and across each other.
  fileprivate var tangents: (Vector3, Vector3) {
    let axis = abs(x) < 0.5 ? Vector3(1, 0, 0) : Vector3(0, 1, 0)
    let e1 = cross(axis).normalized
    return (e1, cross(e1))
  }
}

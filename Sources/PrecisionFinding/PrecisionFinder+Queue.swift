import Estimator
import Foundation
import Geometry
import Premises
import SensorData

/// From events, in arrival order, to actions in the order of their times.
extension PrecisionFinder {
  func admit(_ measured: SensorEvent) {
    queueTicks(before: measured.timestamp)
    clock = measured.timestamp
    let event = configuration.watchesPremises ? premises.filtered(measured) : measured
    if case .frame(let frame) = event, shutter != nil {
      for frame in shutter!.add(frame, gyroscopeBias: gyroscopeBias) { take(.frame(frame)) }
      return
    }
    take(event)
    if case .imu(let sample) = event, shutter != nil {
      for frame in shutter!.add(sample, gyroscopeBias: gyroscopeBias) { take(.frame(frame)) }
    }
  }

  /// The bias of the gyroscope that the filter has found, rad/s; nil before.
  var gyroscopeBias: Vector3? { (trajectory.filter as? InertialNavigation)?.state.gyroscopeBias }

  /// Takes an event for the premises and for the actions that it asks for. A frame that waited for the end of its readout
  /// may be older than the last event.
  func take(_ event: SensorEvent) {
    if configuration.watchesPremises {
      var place = unobserved.count
      while place > 0, unobserved[place - 1].timestamp > event.timestamp { place -= 1 }
      unobserved.insert(event, at: place)
    }
    switch event {
    case .imu(let sample):
      rowTime?.add(sample)
      trajectory.append(event)
    case .odometry:
      trajectory.append(event)
      if useOdometry { insert(.pose(event.timestamp)) }
    case .frame(let frame):
      rowTime?.add(frame)
      if let found = rowTime?.rowTime { suspectRollingShutter(found) }
      if !useOdometry { insert(.frame(frame, at: event.timestamp.advanced(bySeconds: timeOffset(frame)))) }
    case .device(let event): insert(.device(event))
    case .range(let range):
      if nextTick == nil { nextTick = firstTick(after: range.timestamp) }
      insert(.range(range))
    }
  }

  /// Names a rolling shutter that the calibration does not state; once.
  private func suspectRollingShutter(_ found: (value: Double, sigma: Double)) {
    rowTime = nil
    guard let camera = rig.cameras.first, configuration.watchesPremises else { return }
    let readout = abs(found.value) * Double(camera.height - 1)
    let (state, significance) = (String(format: "%.3g", found.value), abs(found.value) / found.sigma)
    premises.report(
      Diagnosis(
        code: "rollingShutter", family: .camera,
        sentence: String(
          format: "the camera looks to have a rolling shutter of %.0f ms from the first row to the last", 1000 * readout
        ),
        evidence: String(
          format: "rows of the tracks follow the gyroscope %@ s after one another, by %.0f sigma", state, significance),
        remedy: "state row_time_s: \(state) in cam0/sensor.yaml, and stamped_row (docs/rolling-shutter.md)",
        isHandled: readout < Self.harmfulReadout))
  }

  /// A readout from which on the rows of a turning hand's images bend a trajectory, seconds: at 1 rad/s its edges are 2
  /// pixels off.
  private static var harmfulReadout: Double { 0.01 }

  func timeOffset(_ frame: CameraFrame) -> Double {
    rig.cameras.indices.contains(frame.camera) ? rig.cameras[frame.camera].timeOffset : 0
  }

  /// Inserts an action in time order: a frame whose camera clock is behind follows ranges that are stamped later.
  func insert(_ action: Action) {
    var position = actions.count
    while position > 0, actions[position - 1].time > action.time { position -= 1 }
    actions.insert(action, at: position)
  }

  var interval: Int64 {
    Int64((min(max(configuration.updateInterval, 0.001), 1e9) * 1e9).rounded())
  }

  func firstTick(after time: Timestamp) -> Timestamp {
    let remainder = time.nanoseconds % interval
    return time.advanced(byNanoseconds: remainder > 0 ? interval - remainder : -remainder)
  }

  /// Queues the regular updates up to the next event, as far as the silence before it is filled (`SilenceAllowance`);
  /// they resume with that event.
  func queueTicks(before time: Timestamp) {
    guard nextTick != nil else { return }
    let gap = time.seconds(since: clock), filled = silence.take(gap)
    let last = filled < gap ? clock.advanced(bySeconds: filled) : time
    while let tick = nextTick, tick < time, tick <= last {
      insert(.tick(tick))
      nextTick = tick.advanced(byNanoseconds: interval)
    }
    if let tick = nextTick, tick < time { nextTick = firstTick(after: time) }
  }
}

import Geometry
import Inertial
import SensorData

/// Past states.
extension InertialNavigation {
  /// States at recent moments, newest first, by propagating the present estimate back along the samples. Where a moment
  /// has no sample, the previous state. O(samples back to the last moment).
  package func past(at moments: [Timestamp]) -> [InertialState] {
    var past = state, newer = samples.sample(at: time), here = time
    func step(to older: IMUSample) {
      guard let later = newer else { return }
      let (rate, force) = intrinsics.corrected(
        angularVelocity: 0.5 * (later.angularVelocity + older.angularVelocity),
        specificForce: 0.5 * (later.specificForce + older.specificForce))
      past = propagation.propagated(
        past, angularVelocity: rate, specificForce: force, dt: older.timestamp.seconds(since: later.timestamp))
      newer = older
    }
    return moments.map { moment in
      guard moment < here, let oldest = samples.sample(at: moment) else { return past }
      for older in samples.samples(after: moment, before: here).reversed() { step(to: older) }
      step(to: oldest)
      here = moment
      return past
    }
  }
}

import Geometry
import JSONText
import SensorData

/// Writes a stream of sensor events as lines: a header, events in the order of their arrival, an end.
///
/// IMU readings that follow each other are gathered into lines of at most 20 ms; everything else leaves with its event.
/// What reads the lines gets the same values to the last bit. O(1) memory but for the text that is not yet drained.
public struct EventLineWriter: Sendable {
  /// Longest span of an IMU line, nanoseconds: less than the reorder window, so that nothing sent after it is late.
  private static let longestSpan: Int64 = 20_000_000

  private var text = JSONWriter(.exact)
  private var first: Timestamp?
  private var groupArrival: Timestamp?

  /// A writer without text.
  public init() {}

  /// Writes the first line.
  public mutating func begin(_ header: StreamHeader) { header.write(to: &text) }

  /// Writes one event; IMU readings stay until their line is full, another event comes, or `drain` is called.
  ///
  /// - Parameters:
  ///   - event: the event.
  ///   - arrival: when it became known, where that is not its own time.
  /// - Returns: false for an event with a number that is not finite, which JSON cannot say: it is left out.
  @discardableResult
  public mutating func add(_ event: SensorEvent, arrival: Timestamp? = nil) -> Bool {
    guard Self.isWritable(event) else { return false }
    let arrival = arrival == event.timestamp ? nil : arrival
    if case .imu(let sample) = event {
      add(sample, arrival)
      return true
    }
    endGroup()
    switch event {
    case .imu: break
    case .frame(let frame): write(frame, arrival)
    case .odometry(let pose): write(pose, arrival)
    case .range(let range): write(range, arrival)
    case .device(let event):
      text.raw("{\"event\":{\"t\":")
      text.integer(event.timestamp.nanoseconds)
      text.raw(",\"event\":")
      text.string(event.name)
      text.raw(",\"peer\":")
      if let peer = event.peer { text.string(peer) } else { text.raw("null") }
      close(arrival)
    }
    return true
  }

  /// Writes the last line: the stream is complete.
  public mutating func end() {
    endGroup()
    text.raw("{\"end\":{}}\n")
  }

  /// Returns whole lines and removes them from the writer.
  public mutating func drain() -> [UInt8] {
    endGroup()
    defer { text.removeAll() }
    return text.bytes
  }

  /// Returns the text so far and removes it: a line of IMU readings may still be open, its rest follows.
  public mutating func take() -> [UInt8] {
    defer { text.removeAll() }
    return text.bytes
  }

  /// Bytes of text that a call of `drain` would return, about.
  public var count: Int { text.bytes.count }

  // MARK: events

  private mutating func add(_ sample: IMUSample, _ arrival: Timestamp?) {
    if let begin = first {
      let span = sample.timestamp.nanoseconds &- begin.nanoseconds
      if span < 0 || span > Self.longestSpan || arrival != groupArrival { endGroup() }
    }
    if first == nil {
      first = sample.timestamp
      groupArrival = arrival
      text.raw("{\"imu\":[[")
    } else {
      text.raw(",[")
    }
    text.integer(sample.timestamp.nanoseconds)
    for vector in [sample.angularVelocity, sample.specificForce] {
      for axis in 0..<3 {
        text.raw(",")
        text.number(vector[axis])
      }
    }
    text.raw("]")
  }

  private mutating func endGroup() {
    guard first != nil else { return }
    text.raw("]")
    if let groupArrival {
      text.raw(",\"arrival\":")
      text.integer(groupArrival.nanoseconds)
    }
    text.raw("}\n")
    (first, groupArrival) = (nil, nil)
  }

  private mutating func write(_ frame: CameraFrame, _ arrival: Timestamp?) {
    text.raw("{\"frame\":{\"t\":")
    text.integer(frame.timestamp.nanoseconds)
    text.raw(",\"camera\":")
    text.integer(Int64(frame.camera))
    text.raw(",\"ids\":[")
    for (index, feature) in frame.features.enumerated() {
      if index > 0 { text.raw(",") }
      text.integer(feature.featureID)
    }
    text.raw("],\"uv\":[")
    for (index, feature) in frame.features.enumerated() {
      if index > 0 { text.raw(",") }
      text.number(feature.u)
      text.raw(",")
      text.number(feature.v)
    }
    text.raw("]")
    optional(frame.meanLuma, ",\"luma\":")
    optional(frame.exposure.map(Self.nanoseconds), ",\"exposure\":")
    if let view = frame.view {
      text.raw(",\"view\":")
      text.string(view.rawValue)
    }
    close(arrival)
  }

  private mutating func write(_ pose: OdometryPose, _ arrival: Timestamp?) {
    text.raw("{\"pose\":{\"t\":")
    text.integer(pose.timestamp.nanoseconds)
    text.raw(",\"p\":")
    let (p, q) = (pose.worldFromSensor.translation, pose.worldFromSensor.rotation.readableQuaternion)
    text.numbers([p.x, p.y, p.z])
    text.raw(",\"q\":")
    text.numbers([q.w, q.x, q.y, q.z])
    close(arrival)
  }

  private mutating func write(_ range: RangeMeasurement, _ arrival: Timestamp?) {
    text.raw("{\"range\":{\"t\":")
    text.integer(range.timestamp.nanoseconds)
    text.raw(",\"peer\":")
    text.string(range.peer)
    text.raw(",\"range\":")
    text.number(range.range)
    optional(range.standardDeviation, ",\"std\":")
    if let antenna = range.antenna {
      text.raw(",\"antenna\":")
      text.string(antenna)
    }
    optional(range.azimuth, ",\"azimuth\":")
    optional(range.elevation, ",\"elevation\":")
    optional(range.angleStandardDeviation, ",\"angleStd\":")
    optional(range.rssi, ",\"rssi\":")
    optional(range.firstPathPower, ",\"firstPathPower\":")
    optional(range.nonLineOfSight, ",\"nlos\":")
    if let technology = range.technology {
      text.raw(",\"technology\":")
      text.string(technology)
    }
    close(arrival)
  }

  // MARK: parts

  private mutating func optional(_ value: Double?, _ key: StaticString) {
    guard let value else { return }
    text.raw(key)
    text.number(value)
  }

  /// Closes the event and its line.
  private mutating func close(_ arrival: Timestamp?) {
    if let arrival {
      text.raw(",\"arrival\":")
      text.integer(arrival.nanoseconds)
    }
    text.raw("}}\n")
  }

  /// Nanoseconds that read back, times 1e-9, as the same Double of seconds.
  package static func nanoseconds(_ seconds: Double) -> Double {
    let near = seconds * 1e9
    let candidates = [near.rounded(), near, near.nextDown, near.nextUp, near.nextDown.nextDown, near.nextUp.nextUp]
    return candidates.first { $0 * 1e-9 == seconds } ?? near
  }

  private static func isWritable(_ event: SensorEvent) -> Bool {
    switch event {
    case .frame(let frame):
      return frame.features.allSatisfy { $0.u.isFinite && $0.v.isFinite } && frame.meanLuma?.isFinite ?? true
        && frame.exposure?.isFinite ?? true
    case .range(let range):
      return event.isFinite
        && [range.rssi, range.firstPathPower, range.nonLineOfSight].allSatisfy { $0?.isFinite ?? true }
    default: return event.isFinite
    }
  }
}

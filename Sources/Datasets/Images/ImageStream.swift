import Foundation
import Images
import SensorData

/// The frames of cameras whose images are tracked while reading: cam0, and cam1 where it has images of the same times.
///
/// Memory is bounded by a few images. The tracker gets the IMU readings that arrived up to the frame.
final class ImageStream: EventStream {
  /// The images of one time, being read.
  private struct Moment {
    var first: ImageList.Entry
    var arrival: Int64
    var images: [(entry: ImageList.Entry, image: PendingImage)?]
  }

  private let tracker: (any ImageTracking)?
  private let lists: [ImageList]
  private let rig: RigCalibration
  private let queue: DispatchQueue?
  private var heads: [ImageList.Entry?]
  private var inertial: RowStream<IMUDecoder>?
  private var sample: TimedEvent?
  private var moments: [Moment] = []
  private var frames: [TimedEvent] = []
  private var hasBegun = false
  private var lastArrival = Int64.min

  /// Images read ahead of the current one.
  private static let ahead = 4
  /// Largest difference of timestamps of one time, nanoseconds: a rotation at 1 rad/s moves the image by 1 mrad, half
  /// of the matching tolerance.
  private static let togetherness: Int64 = 1_000_000

  /// - Parameters:
  ///   - imu: the IMU's file, read in addition to its own stream, if there is one.
  ///   - options: nil: frames without features, images are not read.
  init(
    _ cameras: [CameraImages], rig: RigCalibration, imu: RecordingFile?, stamps: ImageStamps,
    options: ImageTrackingOptions?, isStrict: Bool
  ) throws(DatasetError) {
    self.rig = rig
    var lists: [ImageList] = []
    for camera in cameras { lists.append(try ImageList(camera, stamps: stamps, isStrict: isStrict)) }
    self.lists = lists
    heads = lists.map { _ in nil }
    tracker = try options.map { options throws(DatasetError) in
      var masks: [GrayImage?] = []
      for (number, camera) in cameras.enumerated() { masks.append(try Self.mask(camera, rig.cameras[number])) }
      return options.make(rig, masks)
    }
    queue = options?.readsAhead == true ? DispatchQueue(label: "images", qos: .userInitiated) : nil
    if options != nil, let imu { inertial = try RowStream(imu, IMUDecoder(), isStrict: isStrict) }
  }

  var damage: [FileDamage] { lists.map(\.damage) }
  var warnings: [String] { lists.flatMap(\.rows.warnings) }

  func next() throws(DatasetError) -> TimedEvent? {
    while frames.isEmpty {
      while moments.count <= (queue == nil ? 0 : Self.ahead), let moment = try nextMoment() { moments.append(moment) }
      guard !moments.isEmpty else {
        for list in lists { try list.checkDamage() }
        return nil
      }
      try work(moments.removeFirst())
    }
    return frames.removeFirst()
  }

  /// The next time of cam0, with the images of the other cameras.
  private func nextMoment() throws(DatasetError) -> Moment? {
    if !hasBegun {
      hasBegun = true
      for camera in lists.indices.dropFirst() { heads[camera] = try lists[camera].next() }
    }
    guard let first = try lists[0].next() else {
      // Read all lists to the end: their damage is counted.
      for camera in lists.indices.dropFirst() { while heads[camera] != nil { try leave(camera) } }
      return nil
    }
    var moment = Moment(first: first, arrival: first.arrival, images: [pending(first, camera: 0)])
    for camera in lists.indices.dropFirst() {
      while let head = heads[camera], head.time < first.time - Self.togetherness { try leave(camera) }
      if let head = heads[camera], head.time <= first.time + Self.togetherness {
        moment.images.append(pending(head, camera: camera))
        moment.arrival = max(moment.arrival, head.arrival)
        heads[camera] = try lists[camera].next()
      } else {
        moment.images.append(nil)
      }
    }
    lastArrival = max(lastArrival, moment.arrival)
    moment.arrival = lastArrival
    return moment
  }

  /// Skips an image without one of cam0 at its time.
  private func leave(_ camera: Int) throws(DatasetError) {
    lists[camera].countUnpaired()
    heads[camera] = try lists[camera].next()
  }

  private func pending(_ entry: ImageList.Entry, camera: Int) -> (ImageList.Entry, PendingImage) {
    let calibration = rig.cameras[camera]
    return (
      entry, PendingImage(lists[camera].file(entry, calibration), on: queue)
    )
  }

  private func work(_ moment: Moment) throws(DatasetError) {
    let stamp = Timestamp(nanoseconds: moment.first.time), arrival = Timestamp(nanoseconds: moment.arrival)
    guard let tracker else {
      frames.append(TimedEvent(.frame(CameraFrame(timestamp: stamp, features: [])), arrival: arrival))
      return
    }
    while let sample = try nextSample(), sample.arrival <= arrival {
      if case .imu(let reading) = sample.event { tracker.add(reading) }
      self.sample = nil
    }
    var images: [GrayImage?] = []
    for (camera, pending) in moment.images.enumerated() {
      images.append(try pending.flatMap { pending throws(DatasetError) in try image(pending, camera: camera) })
    }
    guard images[0] != nil else { return }
    let exposures = moment.images.map { $0?.entry.exposure }
    frames += tracker.frames(images, exposures: exposures, at: stamp).map { TimedEvent(.frame($0), arrival: arrival) }
  }

  private func nextSample() throws(DatasetError) -> TimedEvent? {
    if sample == nil { sample = try inertial?.next() }
    return sample
  }

  /// The image, or nil if it cannot be used.
  private func image(
    _ pending: (entry: ImageList.Entry, image: PendingImage), camera: Int
  ) throws(DatasetError) -> GrayImage? {
    do {
      let image = try pending.image.value()
      lists[camera].countUsed()
      return image
    } catch {
      try lists[camera].record(error, of: pending.entry)
      return nil
    }
  }

  private static func mask(_ camera: CameraImages, _ calibration: CameraCalibration) throws(DatasetError) -> GrayImage?
  {
    guard let mask = camera.mask else { return nil }
    let file = ImageFile(path: mask.path, width: calibration.width, height: calibration.height)
    do { return try file.load() } catch {
      throw DatasetError(file: mask.path, found: error.found, expected: error.expected)
    }
  }
}

/// A tracker for the images of a recording, independent of its method.
package protocol ImageTracking: AnyObject {
  /// Adds an IMU reading; the readings up to a frame come before it.
  func add(_ sample: IMUSample)
  /// Processes the images of one time, one per camera, nil where there is none, and returns the frames. `exposures` are
  /// in seconds, nil where unknown.
  func frames(_ images: [GrayImage?], exposures: [Double?], at stamp: Timestamp) -> [CameraFrame]
}

/// Options of tracking the images of a recording.
package struct ImageTrackingOptions: Sendable {
  /// Makes a tracker for a rig; for each camera a mask, white where tracks are wanted, or nil.
  package var make: @Sendable (RigCalibration, [GrayImage?]) -> any ImageTracking
  /// Images are read and decoded on a second thread, a few frames ahead; the results are the same.
  package var readsAhead: Bool
  /// Whether to track images even where there is `features.csv`.
  package var ignoresTracks: Bool

  /// Options from their parts.
  package init(
    readsAhead: Bool = true, ignoresTracks: Bool = false,
    make: @escaping @Sendable (RigCalibration, [GrayImage?]) -> any ImageTracking
  ) {
    self.make = make
    self.readsAhead = readsAhead
    self.ignoresTracks = ignoresTracks
  }
}

import Foundation
import Images
import SensorData

/// The frames of cameras whose images are tracked on the way: cam0, and cam1 where it saw the same moments.
///
/// Memory holds a handful of images, however long the recording is. An image that is missing, damaged or of another size is a
/// bad row of its list. The tracker learns of the readings of the inertial unit that were known when the frame was.
final class ImageStream: EventStream {
  /// The images of one moment, being read.
  private struct Moment {
    var time: Int64
    var arrival: Int64
    var images: [(row: ImageListDecoder.Row, image: PendingImage)?]
  }

  private let tracker: (any ImageTracking)?
  private let lists: [RowStream<ImageListDecoder>]
  private let folders: [RecordingFile]
  private let rig: RigCalibration
  private let queue: DispatchQueue?
  private var heads: [ImageListDecoder.Row?]
  private var inertial: RowStream<IMUDecoder>?
  private var sample: TimedEvent?
  private var moments: [Moment] = []
  private var frames: [TimedEvent] = []
  private var hasBegun = false

  /// Images that are read ahead of the one at hand.
  private static let ahead = 4

  /// - Parameters:
  ///   - imu: the inertial unit's file, read beside its own stream, if there is one.
  ///   - options: nil: the frames are told without being looked at.
  init(
    _ cameras: [CameraImages], rig: RigCalibration, imu: RecordingFile?, options: ImageTrackingOptions?, isStrict: Bool
  ) throws(DatasetError) {
    self.rig = rig
    folders = cameras.map(\.folder)
    var lists: [RowStream<ImageListDecoder>] = []
    for camera in cameras {
      lists.append(try RowStream(camera.list, ImageListDecoder(), isStrict: isStrict))
    }
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

  var damage: [FileDamage] { lists.flatMap(\.damage) }
  var warnings: [String] { lists.flatMap(\.warnings) }

  func next() throws(DatasetError) -> TimedEvent? {
    while frames.isEmpty {
      while moments.count <= (queue == nil ? 0 : Self.ahead), let moment = try nextMoment() { moments.append(moment) }
      guard !moments.isEmpty else { return nil }
      try work(moments.removeFirst())
    }
    return frames.removeFirst()
  }

  /// The next moment of cam0, with what the other cameras saw at exactly that stamp.
  private func nextMoment() throws(DatasetError) -> Moment? {
    if !hasBegun {
      hasBegun = true
      for camera in lists.indices.dropFirst() { heads[camera] = try lists[camera].next() }
    }
    guard let first = try lists[0].next() else {
      // To the ends of all lists: their damage is part of the recording's account.
      for camera in lists.indices.dropFirst() {
        while heads[camera] != nil { heads[camera] = try lists[camera].next() }
      }
      return nil
    }
    var moment = Moment(time: first.time, arrival: first.arrival, images: [pending(first, camera: 0)])
    for camera in lists.indices.dropFirst() {
      while let head = heads[camera], head.time < first.time { heads[camera] = try lists[camera].next() }
      if let head = heads[camera], head.time == first.time {
        moment.images.append(pending(head, camera: camera))
        moment.arrival = max(moment.arrival, head.arrival)
        heads[camera] = try lists[camera].next()
      } else {
        moment.images.append(nil)
      }
    }
    return moment
  }

  private func pending(_ row: ImageListDecoder.Row, camera: Int) -> (ImageListDecoder.Row, PendingImage) {
    let calibration = rig.cameras[camera]
    let file = ImageFile(
      path: folders[camera].path + "/" + row.name, width: calibration.width, height: calibration.height)
    return (row, PendingImage(file, on: queue))
  }

  private func work(_ moment: Moment) throws(DatasetError) {
    let stamp = Timestamp(nanoseconds: moment.time), arrival = Timestamp(nanoseconds: moment.arrival)
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
    frames += tracker.frames(images, at: stamp).map { TimedEvent(.frame($0), arrival: arrival) }
  }

  private func nextSample() throws(DatasetError) -> TimedEvent? {
    if sample == nil { sample = try inertial?.next() }
    return sample
  }

  /// The image, or nil where it counts as a bad row.
  private func image(
    _ pending: (row: ImageListDecoder.Row, image: PendingImage), camera: Int
  ) throws(DatasetError) -> GrayImage? {
    do { return try pending.image.value() } catch {
      let table = lists[camera].table
      let file = folders[camera].relativePath.split(separator: "/").last.map { "\($0)/" } ?? ""
      try table.reject(
        RowFault(kind: error.kind, column: nil),
        error: DatasetError(
          file: table.path, line: pending.row.line, found: "\(error.found) in \(file)\(pending.row.name)",
          expected: error.expected), row: pending.row.row)
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

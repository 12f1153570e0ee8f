import Datasets
import Foundation
import Images
import SensorData

/// Images with their tracks drawn over them: a cross at each position, a tail over the last half second.
struct TrackOverlay {
  private let recording: Recording
  private let folder: String
  private let every: Double
  private let isQuiet: Bool
  private static let tail = 0.5

  /// Overlays for a recording whose images are tracked, one every `every` seconds, into a folder.
  init(_ recording: Recording, into folder: String, every: Double, isQuiet: Bool) {
    (self.recording, self.folder, self.every, self.isQuiet) = (recording, folder, every, isQuiet)
  }

  /// Makes them.
  func run() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let events = try recording.events()
    guard let images = try recording.images(camera: 0) else { return }
    var history: [(stamp: Timestamp, features: [FeatureObservation])] = []
    var next = Timestamp(nanoseconds: .min), count = 0
    while let event = try events.next() {
      guard case .frame(let frame) = event.event, frame.camera == 0 else { continue }
      history.append((frame.timestamp, frame.features))
      history.removeAll { frame.timestamp.seconds(since: $0.stamp) > Self.tail }
      guard frame.timestamp >= next else { continue }
      next = frame.timestamp.advanced(bySeconds: every)
      guard let image = try images.image(at: frame.timestamp) else { continue }
      let bytes = try Self.drawn(history.map(\.features), over: image).png()
      let name = "\(frame.timestamp.nanoseconds).png"
      let file = try AtomicFile(folder: folder, name: name)
      try file.write(Array(bytes))
      try file.commit()
      count += 1
    }
    guard !isQuiet else { return }
    var output = StandardOutput()
    try output.line("\(folder): \(Words.count(count, "image"))")
  }

  /// The image at two thirds of its brightness, tails grey and only from frame to frame, crosses white on black.
  static func drawn(_ history: [[FeatureObservation]], over image: GrayImage) -> GrayImage {
    var overlay = image
    for index in overlay.pixels.indices { overlay.pixels[index] = UInt8(Int(overlay.pixels[index]) * 2 / 3) }
    func set(_ x: Double, _ y: Double, _ value: UInt8) {
      let (column, row) = (Int(x.rounded()), Int(y.rounded()))
      if column >= 0, row >= 0, column < image.width, row < image.height {
        overlay.pixels[row * image.width + column] = value
      }
    }
    let living = Set(history.last?.map(\.featureID) ?? [])
    var last: [Int64: FeatureObservation] = [:]
    for features in history {
      let before = last
      last = [:]
      for feature in features where living.contains(feature.featureID) {
        if let before = before[feature.featureID] {
          let (du, dv) = (feature.u - before.u, feature.v - before.v)
          let steps = Int(min(max(abs(du), abs(dv)), 1000)) + 1
          for k in 0...steps {
            let fraction = Double(k) / Double(steps)
            set(before.u + du * fraction, before.v + dv * fraction, 220)
          }
        }
        last[feature.featureID] = feature
      }
    }
    for feature in history.last ?? [] {
      for k in -3...3 {
        for (u, v) in [(Double(k), 0.0), (0.0, Double(k))] {
          set(feature.u + u + 1, feature.v + v + 1, 0)
        }
      }
      for k in -3...3 {
        for (u, v) in [(Double(k), 0.0), (0.0, Double(k))] { set(feature.u + u, feature.v + v, 255) }
      }
    }
    return overlay
  }
}

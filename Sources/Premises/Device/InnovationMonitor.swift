import SensorData

/// Tests camera and inertial unit together, by the innovations of the whole filter.
///
/// With true premises a track's normalised innovation squared over its degrees of freedom has mean 1, whatever the
/// motion; the filter learns the tracks' noise, which pulls it there from above too. The mean over a window of hundreds
/// is within a tenth of 1 on healthy recordings. A premise that is wrong shows as a mean well above, or as filters that
/// are given up one after the other.
struct InnovationMonitor {
  /// Length of the window, seconds, and the fewest innovations in it.
  static let length = 2.0
  private static let fewest = 150
  /// Means that are suspicious and that refute.
  private static let suspicious = 1.4, refuting = 1.8
  /// Restarts within so many seconds that refute.
  private static let restarts = (count: 3, seconds: 15.0)

  /// Root mean square innovation, in units of the noise that two views of the images have, that is suspicious:
  /// simulated recordings have 1.0 +- 0.05, a real one (`tango-handheld`) up to 1.9, where tracks drift; a mount 10
  /// degrees off has 2.5 to 8.
  private static let largestExcess = 2.5
  /// The same that confirms, and the fraction of tracks in use that it asks for: on healthy worlds 1.0 +- 0.05; 15 % on
  /// the gyroscope's scale are 1.4 and more.
  private static let confirming = (excess: 1.2, usable: 0.15)
  /// Mean, and learnt noise in units of the images', below which an open premise is closed too:
  /// stated noise errs by a half, and a mount 10 degrees off has 1.9 and more.
  private static let explaining = (level: 1.2, noise: 1.6)
  /// Learnt noise, in units of the images', beyond which few usable tracks are suspicious; and how few, a fraction.
  private static let noise = (level: 12.0, usable: 0.15)

  /// Sums of each frame: of normalised innovations squared, and of these in units of the images' noise.
  private var window: [(time: Timestamp, sum: Double, ofImages: Double, count: Int, tracks: Int)] = []
  private var noise = 1.0
  private var begun: [Timestamp] = []
  private var level: Double?
  /// Root mean square innovation over the window, in units of the images' noise.
  private var excess: Double?
  /// Hysteresis: whether innovations were suspicious and have not been explained since. A set-up does not mend itself.
  private(set) var isOpen = false

  mutating func append(_ sum: Double, _ count: Int, tracks: Int, noise: Double, at time: Timestamp) {
    self.noise = noise
    window.append((time, sum, noise * noise * sum, count, tracks))
    window.removeAll { time.seconds(since: $0.time) > Self.length }
    let count = window.reduce(0) { $0 + $1.count }
    level = count >= Self.fewest ? window.reduce(0) { $0 + $1.sum } / Double(count) : nil
    excess = count >= Self.fewest ? (window.reduce(0) { $0 + $1.ofImages } / Double(count)).squareRoot() : nil
    begun.removeAll { time.seconds(since: $0) > Self.restarts.seconds }
    if isSuspicious { isOpen = true } else if isExplained { isOpen = false }
  }

  /// A filter was given up.
  mutating func restart(at time: Timestamp) {
    begun.append(time)
    window = []
    (level, excess) = (nil, nil)
  }

  var isSuspicious: Bool { begun.count >= 2 || level ?? 0 > Self.suspicious || isExcessive || isStarved }

  /// The images fit each other, but not the motion: the filter explains by noise what two views of the images do not
  /// have.
  private var isExcessive: Bool { excess ?? 0 > Self.largestExcess }

  /// The filter explains hundreds of innovations with the noise that the images have, of more than a few tracks: lens,
  /// mount, clocks and gyroscope are as stated, wherever the device turns.
  var isConfirmed: Bool { begun.isEmpty && confirms }

  /// The filter runs and does not contradict the images: innovations are as large as the images' noise makes them, whatever the filter has learnt before, or too
  /// few to say.
  var isQuiet: Bool { begun.isEmpty && !window.isEmpty && excess ?? 0 < Self.confirming.excess }

  private var confirms: Bool {
    guard let level, usable >= Self.confirming.usable else { return false }
    // Noise that was learnt and is not there at the moment confirms nothing.
    return noise * max(level, 1).squareRoot() < Self.confirming.excess
  }

  /// The filter explains what it sees: it confirms, or needs no more noise than a tracker may have.
  private var isExplained: Bool {
    guard let level, usable >= Self.confirming.usable else { return false }
    return confirms || level < Self.explaining.level && noise < Self.explaining.noise
  }

  /// Fraction of the window's tracks that have innovations.
  private var usable: Double {
    let tracks = window.reduce(0) { $0 + $1.tracks }, used = window.reduce(0) { $0 + $1.count }
    return tracks > 0 ? Double(used) / Double(tracks) : 0
  }

  /// Tracks that the filter explains by noise alone: it has learnt far more than is stated, and few tracks are of use.
  private var isStarved: Bool {
    window.count >= 10 && noise > Self.noise.level && usable < Self.noise.usable
  }

  /// The evidence; nil while the premises hold.
  var refuted: String? {
    if begun.count >= Self.restarts.count {
      return "the trajectory was given up \(begun.count) times within \(Format.number(Self.restarts.seconds)) s"
    }
    if isStarved {
      return
        "tracks err \(Format.number(noise)) times as much against the motion as from image to image, and few agree with it at all"
    }
    guard let level, level > Self.refuting else { return nil }
    return
      "mean normalised innovation \(Format.number(level)) over \(Format.number(Self.length)) s, expected 1.0 +- 0.1"
  }
}

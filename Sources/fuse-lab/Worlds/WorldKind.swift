import ArgumentParser

/// A kind of random worlds: what it adds to the same seed's plain world.
package enum WorldKind: String, CaseIterable, ExpressibleByArgument, Sendable {
  case plain, antennas, strolls, phones, rests, poses, fields, patterns, whites, times, searches, bodies, walkers, walls
  case smoothed, filters, biases, twins, odometries, mirrored, storeys, persons, stops

  /// What it is, in words.
  package var words: String {
    switch self {
    case .plain: "stationary peers, errors that drift in time"
    case .antennas:
      "the device has two or three antennas, 3 to 30 cm off its centre, each with its own bias; 0.1 to 0.9 of the "
        + "coloured error is common to them"
    case .strolls: "half a minute, the first peer moves at walking speed, once to three times"
    case .phones:
      "a modern phone's inertial unit, honestly stated: 0.002 to 0.005 m/s^2/sqrt(Hz), a bias of up to 0.8 m/s^2"
    case .rests:
      "the device rests for 2 to 20 s, then moves, beside quiet radios whose error of 0.1 to 0.3 m changes with the "
        + "place"
    case .poses:
      "range errors of real size that are bound to the pose: white 3 to 7 cm, a field of 4 to 10 cm over 0.2 to 0.6 m "
        + "and 20 to 45 degrees, an antenna pattern of 1 to 9 cm, NLOS for 0.1 to 0.7 s"
    case .fields: "poses without the pattern"
    case .patterns: "poses without the field"
    case .whites: "poses without both"
    case .times: "poses, the same in size, drifting in time"
    case .searches: "poses, for 36 s"
    case .bodies:
      "plain, and ranges are 0.2 to 0.8 m too long from 90 to 110 degrees off ahead on: the person behind the device"
    case .walkers: "half a minute, every peer walks at 0.1 to 1 m/s from the first range on"
    case .walls:
      "plain, and a wall before the first peer, where the straight line crosses it, lengthens ranges by 0.2 to 1 m; "
        + "worlds whose path crosses the wall are left out"
    case .smoothed:
      "plain, and the radio smooths its ranges, unstated: a mean of 3 to 20, an exponential mean, or a lag of up to "
        + "half a second"
    case .filters: "the same, stated"
    case .biases: "plain, and ranges are too long by 0.5 to 150 m, as with an antenna delay at its default"
    case .twins: "plain, and another tag ranges under the first peer's id"
    case .odometries: "plain along external odometry, whose stated noise is 0.25 to 4 times the true one"
    case .mirrored:
      "odometries, and one axis of the tracker's positions is negated; an inertial unit beside it"
    case .storeys:
      "plain, peers 1.5 to 17 m off: six in ten between floor and ceiling, the others one or two storeys of 2.6 to 4 m "
        + "off or anywhere on the sphere"
    case .persons: "walkers, and every peer is stated a person"
    case .stops:
      "half a minute, every peer stops and goes with rests of 2 to 10 s; in half of the worlds the device is a robot "
        + "with odometry that does, too"
    }
  }

  /// The kind whose additions are drawn alike: kinds that are compared share them.
  var partner: WorldKind {
    switch self {
    case .fields, .patterns, .whites, .times, .searches: .poses
    case .filters: .smoothed
    case .persons: .walkers
    case .mirrored: .odometries
    default: self
    }
  }

  /// How long the motion lasts, or a little longer, seconds.
  var duration: Double {
    switch self {
    case .searches: 36
    case .strolls, .walkers, .persons, .stops: 30
    default: 18
    }
  }
}

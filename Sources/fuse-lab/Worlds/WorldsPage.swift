import LeastSquares

/// The tables and lists about the worlds of a kind.
enum WorldsPage {
  /// The page's text, with its last line break.
  static func text(_ worlds: [WorldRow]) -> String {
    let lines =
      figures(worlds) + [""] + links(worlds) + [""] + trajectories(worlds.compactMap(\.path)) + [""] + lists(worlds)
      + (worlds.contains { $0.ideal != nil } ? [""] + ideal(worlds) : [])
    return lines.joined(separator: "\n") + "\n"
  }

  private static func figures(_ worlds: [WorldRow]) -> [String] {
    let peers = worlds.flatMap(\.peers)
    let published = peers.filter(\.isPublished)
    let (intervals, converged) = (published.sum(\.intervals), peers.sum(\.converged))
    let falseShare = Digits.fixed(100 * peers.sum(\.falselyConverged) / max(converged, 1), 1)
    let cells = [
      "\(worlds.count)", "\(peers.count)", percent(intervals, peers.sum(\.judged)),
      percent(published.sum(\.covered), intervals),
      "\(published.count { $0.angleError ?? 0 > 20 }) of \(published.count)", percent(converged, peers.sum(\.judged)),
      falseShare, "\(peers.count { $0.falselyConverged > 0 })",
    ]
    return LabTable.lines(
      [
        "worlds", "links", "updates with an angle %", "coverage of these %",
        "links whose median angle is over 20 degrees off", "converged updates %", "of these false %",
        "links ever falsely converged",
      ], [cells])
  }

  private static func links(_ worlds: [WorldRow]) -> [String] {
    let published = worlds.flatMap(\.peers).filter(\.isPublished)
    let links = worlds.flatMap { $0.links.map(\.tally) }
    func share(_ part: (LinkTally) -> Int, of whole: (LinkTally) -> Int) -> String {
      percent(links.sum { Double(part($0)) }, links.sum { Double(whole($0)) })
    }
    let cells = [
      "\(published.count(where: \.isOverConfident)) of \(published.count)",
      "\(links.count(where: \.isOftenWrong)) of \(links.count)",
      share({ $0.sum(\.wrong) }, of: { $0.sum(\.angles) }),
      share({ $0.sum(\.distancesCovered) }, of: { $0.sum(\.distances) }),
      share(\.moving.angles, of: \.moving.updates), share(\.moving.covered, of: \.moving.angles),
      share(\.moving.wrong, of: \.moving.angles), share(\.resting.calledMoving, of: \.resting.updates),
    ]
    return LabTable.lines(
      [
        "links whose coverage is under 70 %", "links with over 1 % of angles over 20 degrees off",
        "angles over 20 degrees off %", "coverage of distances %", "while it moves: updates with an angle %",
        "coverage of these %", "over 20 degrees off %", "at rest: called moving %",
      ], [cells])
  }

  private static func trajectories(_ paths: [WorldRow.Path]) -> [String] {
    func row(_ name: String, _ values: [Double], _ decimals: Int) -> [String] {
      let values = values.sorted()
      return [name] + [0.5, 0.9, 1].map { values.quantile($0).map { Digits.fixed($0, decimals) } ?? "-" }
    }
    return LabTable.lines(
      ["trajectory", "median", "90 %", "largest"],
      [
        row("ATE yaw m", paths.map(\.position), 3), row("NEES position", paths.map(\.positionNEES), 1),
        row("NEES attitude", paths.map(\.attitudeNEES), 1),
      ], .named)
  }

  /// Which worlds and links were wrong.
  private static func lists(_ worlds: [WorldRow]) -> [String] {
    func list<Items: Sequence>(_ items: Items, _ words: (Items.Element) -> String) -> String {
      let text = items.map(words).joined(separator: ", ")
      return text.isEmpty ? "none" : text
    }
    let named = worlds.filter { !$0.diagnoses.isEmpty }
    let held = 100 * worlds.sum(\.held) / max(worlds.sum(\.updates), 1)
    // An angle that is wrong for two seconds in all is at least as often wrong as one that is so at a stretch.
    let misled = worlds.map { world in
      let share = world.peers.sum(\.intervals) / max(world.peers.sum(\.judged), 1)
      return (name: world.shortName, seconds: (world.wrongAngles ?? 0) * share * world.seconds)
    }
    let peers = worlds.flatMap { world in world.peers.map { (world: world.shortName, peer: $0) } }
    let often = worlds.flatMap { world in
      world.links.filter(\.tally.isOftenWrong).map { "\(world.shortName) \($0.peer)" }
    }
    let paths = worlds.compactMap { world in world.path.map { (name: world.shortName, path: $0) } }
    let worst = paths.enumerated().sorted {
      let (a, b) = ($0.element.path.worstNEES, $1.element.path.worstNEES)
      return (-a, $0.offset) < (-b, $1.offset)
    }.prefix(8).map(\.element)
    let wrong = peers.filter { $0.peer.isPublished && $0.peer.angleError ?? 0 > 20 }
    let narrow = peers.filter(\.peer.isOverConfident)
    return [
      "Worlds with a diagnosis: \(named.count) of \(worlds.count): "
        + list(named) { "\($0.shortName) (\($0.diagnoses.joined(separator: " ")))" }
        + "; updates that an open premise holds: \(Digits.fixed(held, 2)) %.",
      "Worlds with angles over 20 degrees off for two seconds or more in all: "
        + list(misled.filter { $0.seconds >= 2 }) { "\($0.name) (\(Digits.fixed($0.seconds, 0)) s)" } + ".",
      "Trajectories over 0.3 m off: \(list(paths.filter { $0.path.position > 0.3 }) { "\($0.name)" }).",
      "Links with wrong angles: "
        + list(wrong) { "\($0.world) \($0.peer.name) (\(Digits.fixed($0.peer.angleError ?? 0, 0)) degrees)" } + ".",
      "Links whose coverage is under 70 %: "
        + list(narrow) { "\($0.world) \($0.peer.name) (\(Digits.fixed(100 * ($0.peer.coverage ?? 0), 0)))" } + ".",
      "Links with over 1 % of angles over 20 degrees off: \(list(often) { $0 }).",
      "Falsely converged: \(list(peers.filter { $0.peer.falselyConverged > 0 }) { "\($0.world) \($0.peer.name)" }).",
      "Most over-confident trajectories (NEES of position and attitude): "
        + worst.map {
          "\($0.name) (\(Digits.fixed($0.path.positionNEES, 0)), \(Digits.fixed($0.path.attitudeNEES, 0)))"
        }.joined(separator: ", ") + ".",
    ]
  }

  /// What the ideal observer has, over the worlds.
  private static func ideal(_ worlds: [WorldRow]) -> [String] {
    func values(_ key: String) -> [Double] { worlds.compactMap { $0.ideal?[key] } }
    func mean(_ key: String) -> String {
      let values = values(key)
      return values.isEmpty ? "-" : Digits.fixed(100 * (values.sum { $0 } / Double(values.count)), 1)
    }
    func median(_ key: String) -> String { values(key).median.map { Digits.fixed($0, 2) } ?? "-" }
    return LabTable.lines(
      [
        "ideal observer, told the law: worlds", "coverage %, mean", "angles over 20 degrees off %, mean",
        "angle 2 to 12 s after the motion began %, mean: ideal", "finder",
        "finder's half-width over its, median", "error over its, median",
      ],
      [
        [
          "\(worlds.count { $0.ideal != nil })", mean("idealCoverage90"), mean("idealWrongAngles"),
          mean("idealAngleAvailability"), mean("angleAvailability"), median("halfWidthRatio"),
          median("angleErrorRatio"),
        ]
      ])
  }

  private static func percent(_ part: Double, _ whole: Double) -> String {
    whole == 0 ? "-" : Digits.fixed(100 * part / whole, 1)
  }
}

extension WorldRow.Path {
  fileprivate var worstNEES: Double { max(positionNEES, attitudeNEES) }
}

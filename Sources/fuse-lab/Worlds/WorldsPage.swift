import Evaluation
import LeastSquares
import Wording

/// The tables and lists about the worlds of a kind, and the page of all kinds.
enum WorldsPage {
  /// docs/worlds.md.
  ///
  /// - Parameter kinds: worlds by a heading, stationary peers first, moving ones third.
  static func page(_ kinds: [(heading: String, worlds: [WorldRow])], details: String) -> Page {
    let names = kinds.map { $0.heading.lowercased() }
    let tables = kinds.map { columns($0.worlds) }
    let (first, moving) = (tables[0].map(\.cell), tables[2].map(\.cell))
    let paths = kinds.map { kind in
      spreads(kind.worlds.compactMap(\.path)).flatMap { spread in spread.cells.prefix(2) }
    }
    return Page(
      name: "worlds", title: "Random worlds",
      conclusion:
        "In \(first[0]) random worlds \(first[2]) % of the updates have an angle, and \(first[3]) % of their intervals "
        + "contain the truth. \(first[7]) of \(first[1]) links ever converged falsely, with moving peers \(moving[7]) of "
        + "\(moving[1]).",
      picture: BarChart(
        "Random worlds, %",
        zip(names, kinds).map { name, kind in
          let (angles, coverage) = shares(kind.worlds)
          return (name, [angles, coverage].map { $0.map { Digits.rounded($0, 1) } })
        }, series: ["updates with an angle", "coverage of these"], maximum: 100, reference: (90, "90 % wanted")),
      body: MarkdownTable.lines(
        [""] + tables[0].map(\.title), zip(names, tables).map { [$0] + $1.map(\.cell) }, texts: 1)
        + ["", "Trajectories, median and 90th percentile:", ""]
        + MarkdownTable.lines(
          ["", "ATE yaw m", "90 %", "NEES position", "90 %", "NEES attitude", "90 %"],
          zip(names, paths).map { [$0] + $1 }, texts: 1) + ["", "Which worlds and links were wrong is there, too."],
      details: details)
  }

  /// The page's text, with its last line break.
  static func text(_ worlds: [WorldRow]) -> String {
    let parts = [
      MarkdownTable.lines(columns: columns(worlds)), links(worlds), trajectories(worlds.compactMap(\.path)),
      lists(worlds), ideal(worlds),
    ]
    return parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  /// Percent: updates with an angle, and of these intervals those that hold the truth.
  private static func shares(_ worlds: [WorldRow]) -> (angles: Double?, coverage: Double?) {
    let peers = worlds.flatMap(\.peers), intervals = peers.sum(\.intervals)
    func percent(_ part: Double, _ whole: Double) -> Double? { whole == 0 ? nil : 100 * part / whole }
    return (percent(intervals, peers.sum(\.judged)), percent(peers.sum(\.covered), intervals))
  }

  private static func columns(_ worlds: [WorldRow]) -> [(title: String, cell: String)] {
    let peers = worlds.flatMap(\.peers)
    let published = peers.filter(\.isPublished)
    let (shares, converged) = (shares(worlds), peers.sum(\.converged))
    return [
      ("worlds", "\(worlds.count)"), ("links", "\(peers.count)"),
      ("updates with an angle %", Digits.fixed(shares.angles, 1)),
      ("coverage of these %", Digits.fixed(shares.coverage, 1)),
      (
        "links whose median angle is over 20 degrees off",
        "\(published.count { $0.angleError ?? 0 > 20 }) of \(published.count)"
      ),
      ("converged updates %", percent(converged, peers.sum(\.judged))),
      ("of these false %", Digits.fixed(100 * peers.sum(\.falselyConverged) / max(converged, 1), 1)),
      ("links ever falsely converged", "\(peers.count { $0.falselyConverged > 0 })"),
    ]
  }

  private static func links(_ worlds: [WorldRow]) -> [String] {
    let published = worlds.flatMap(\.peers).filter(\.isPublished)
    let links = worlds.flatMap { $0.links.map(\.tally) }
    func share(_ part: (LinkTally) -> Int, of whole: (LinkTally) -> Int) -> String {
      percent(links.sum { Double(part($0)) }, links.sum { Double(whole($0)) })
    }
    return MarkdownTable.lines(columns: [
      ("links whose coverage is under 70 %", "\(published.count(where: \.isOverConfident)) of \(published.count)"),
      ("links with over 1 % of angles over 20 degrees off", "\(links.count(where: \.isOftenWrong)) of \(links.count)"),
      ("angles over 20 degrees off %", share(\.[.wrong], of: \.[.angles])),
      ("coverage of distances %", share(\.[.distancesCovered], of: \.[.distances])),
      ("while it moves: updates with an angle %", share(\.moving[.angles], of: \.moving[.updates])),
      ("coverage of these %", share(\.moving[.covered], of: \.moving[.angles])),
      ("over 20 degrees off %", share(\.moving[.wrong], of: \.moving[.angles])),
      ("at rest: called moving %", share(\.resting[.calledMoving], of: \.resting[.updates])),
    ])
  }

  /// Median, 90th percentile and largest.
  private static func spreads(_ paths: [WorldRow.Path]) -> [(name: String, cells: [String])] {
    let figures: [(name: String, values: [Double], decimals: Int)] = [
      ("ATE yaw m", paths.map(\.position), 3), ("NEES position", paths.map(\.positionNEES), 1),
      ("NEES attitude", paths.map(\.attitudeNEES), 1),
    ]
    return figures.map { figure in
      let values = figure.values.sorted()
      return (figure.name, [0.5, 0.9, 1].map { Digits.fixed(values.quantile($0), figure.decimals) })
    }
  }

  private static func trajectories(_ paths: [WorldRow.Path]) -> [String] {
    MarkdownTable.lines(
      ["trajectory", "median", "90 %", "largest"], spreads(paths).map { [$0.name] + $0.cells }, texts: 1)
  }

  /// Which worlds and links were wrong.
  private static func lists(_ worlds: [WorldRow]) -> [String] {
    func list<Items: Sequence>(_ items: Items, _ words: (Items.Element) -> String) -> String {
      let text = items.map(words).joined(separator: ", ")
      return text.isEmpty ? "none" : text
    }
    let named = worlds.filter { !$0.diagnoses.isEmpty }
    let held = 100 * worlds.sum { $0["held"] ?? 0 } / max(worlds.sum { $0["updates"] ?? 0 }, 1)
    // An angle that is wrong for two seconds in all is at least as often wrong as one that is so at a stretch.
    let misled = worlds.map { world in
      let share = world.peers.sum(\.intervals) / max(world.peers.sum(\.judged), 1)
      return (name: world.name, seconds: (world["wrongAngles"] ?? 0) * share * (world["seconds"] ?? 0))
    }.filter { $0.seconds >= 2 }
    let peers = worlds.flatMap { world in world.peers.map { (words: "\(world.name) \($0.name)", peer: $0) } }
    let often = worlds.flatMap { world in
      world.links.filter(\.tally.isOftenWrong).map { "\(world.name) \($0.peer)" }
    }
    let paths = worlds.compactMap { world in world.path.map { (name: world.name, path: $0) } }
    let worst = paths.sortedStably { -max($0.path.positionNEES, $0.path.attitudeNEES) }.prefix(8)
    let wrong = peers.filter { $0.peer.isPublished && $0.peer.angleError ?? 0 > 20 }
    let narrow = peers.filter(\.peer.isOverConfident)
    return [
      "Worlds with a diagnosis: \(named.count) of \(worlds.count): "
        + list(named) { "\($0.name) (\($0.diagnoses.joined(separator: " ")))" }
        + "; updates that an open premise holds: \(Digits.fixed(held, 2)) %.",
      "Worlds with angles over 20 degrees off for two seconds or more in all: "
        + list(misled) { "\($0.name) (\(Digits.fixed($0.seconds, 0)) s)" } + ".",
      "Trajectories over 0.3 m off: \(list(paths.filter { $0.path.position > 0.3 }, \.name)).",
      "Links with wrong angles: \(list(wrong) { "\($0.words) (\(Digits.fixed($0.peer.angleError, 0)) degrees)" }).",
      "Links whose coverage is under 70 %: "
        + list(narrow) { "\($0.words) (\(Digits.fixed(100 * ($0.peer.coverage ?? 0), 0)))" } + ".",
      "Links with over 1 % of angles over 20 degrees off: \(list(often, \.self)).",
      "Falsely converged: \(list(peers.filter { $0.peer.falselyConverged > 0 }, \.words)).",
      "Most over-confident trajectories (NEES of position and attitude): "
        + worst.map {
          "\($0.name) (\(Digits.fixed($0.path.positionNEES, 0)), \(Digits.fixed($0.path.attitudeNEES, 0)))"
        }.joined(separator: ", ") + ".",
    ]
  }

  /// What the ideal observer has, over the worlds; nothing where it was not run.
  private static func ideal(_ worlds: [WorldRow]) -> [String] {
    func values(_ key: String) -> [Double] { worlds.compactMap { $0.ideal(key) } }
    func mean(_ key: String) -> String {
      let values = values(key)
      return Digits.fixed(values.isEmpty ? nil : 100 * values.reduce(0, +) / Double(values.count), 1)
    }
    func median(_ key: String) -> String { Digits.fixed(values(key).median, 2) }
    func ever(_ key: String) -> Int { values(key).count { $0 > 0 } }
    let count = worlds.count { $0.ideal("trials") != nil }
    guard count > 0 else { return [] }
    return MarkdownTable.lines(columns: [
      ("ideal observer, told the law: worlds", "\(count)"), ("coverage %, mean", mean("idealCoverage90")),
      ("angles over 20 degrees off %, mean", mean("idealWrongAngles")),
      ("angle 2 to 12 s after the motion began %, mean: ideal", mean("idealAngleAvailability")),
      ("finder", mean("angleAvailability")), ("finder's half-width over its, median", median("halfWidthRatio")),
      ("error over its, median", median("angleErrorRatio")),
      ("worlds that ever converge: ideal", "\(ever("idealConvergedShare"))"), ("finder", "\(ever("convergedShare"))"),
      ("levels decided %, mean: ideal", mean("idealVerticalDecided")), ("finder", mean("verticalDecided")),
    ])
  }

  private static func percent(_ part: Double, _ whole: Double) -> String {
    Digits.fixed(whole == 0 ? nil : 100 * part / whole, 1)
  }
}

import Wording

/// The same worlds measured twice: what differs, with 95 % intervals of the bootstrap over worlds.
package struct WorldsComparison {
  /// A share over worlds, of both sides.
  package struct Row: Equatable, Sendable {
    /// What it is the share of.
    package var figure: String
    /// Both sides, percent; nil without data.
    package var first: Double?, second: Double?
    /// Second less first, and the ends of its interval.
    package var difference: Double?, differences: ClosedRange<Double>?
    /// Second over first, and the ends of its interval.
    package var ratio: Double?, ratios: ClosedRange<Double>?
  }

  /// What is counted of a world: figure, part, whole.
  package typealias Counts = [(figure: String, part: Double, whole: Double)]

  /// Worlds that both sides have.
  package let count: Int
  /// By figure.
  package let rows: [Row]
  private static let draws = 1000

  /// Compares the worlds that both sides have.
  init(_ first: [WorldRow], _ second: [WorldRow]) {
    self.init(first.map { ($0.name, Self.counts($0)) }, second.map { ($0.name, Self.counts($0)) })
  }

  /// The same of counts by world; of a name that is there twice the last stands.
  package init(_ first: [(String, Counts)], _ second: [(String, Counts)]) {
    let sides = [first, second].map { Dictionary($0) { $1 } }
    let names = sides[0].keys.filter { sides[1][$0] != nil }.sorted()
    count = names.count
    guard let figures = names.first.flatMap({ sides[0][$0] })?.map(\.figure) else {
      rows = []
      return
    }
    let worlds = names.map { name in sides.map { $0[name]! } }
    let drawn = PythonRandom(1).samples(of: worlds, draws: Self.draws)
    rows = figures.indices.map { index in
      let pairs = drawn.map { worlds in [0, 1].map { side in Self.share(worlds.lazy.map { $0[side][index] }) } }
      func both(_ of: (Double, Double) -> Double?) -> [Double?] {
        pairs.map { pair in pair[0].flatMap { first in pair[1].flatMap { of(first, $0) } } }
      }
      let differences = both { $1 - $0 }
      let ratios = both { $0 == 0 ? nil : $1 / $0 }
      return Row(
        figure: figures[index], first: pairs[0][0], second: pairs[0][1], difference: differences[0],
        differences: differences.dropFirst().middle95, ratio: ratios[0],
        ratios: ratios.dropFirst().middle95)
    }
  }

  /// The comparison as a table.
  package var text: String {
    func ends(_ range: ClosedRange<Double>?) -> String {
      range.map { "[\(Digits.fixed($0.lowerBound, 2)), \(Digits.fixed($0.upperBound, 2))]" } ?? "-"
    }
    let cells = rows.map { row in
      [row.figure] + [row.first, row.second, row.difference].map { Digits.fixed($0, 2) }
        + [ends(row.differences), Digits.fixed(row.ratio, 2), ends(row.ratios)]
    }
    let table = MarkdownTable.lines(["", "first", "second", "difference", "95 %", "ratio", "95 %"], cells, texts: 1)
    return (["\(count) worlds", ""] + table).joined(separator: "\n") + "\n"
  }

  private static func share(_ counts: some Sequence<(figure: String, part: Double, whole: Double)>) -> Double? {
    let (part, whole) = counts.reduce((0, 0)) { ($0.0 + $1.part, $0.1 + $1.whole) }
    return whole == 0 ? nil : 100 * part / whole
  }

  /// Parts and wholes of a world.
  private static func counts(_ world: WorldRow) -> Counts {
    let (peers, published) = (world.peers, world.peers.filter(\.isPublished))
    let links = world.links.map(\.tally)
    func sum(_ count: (LinkTally) -> Int) -> Double { links.sum { Double(count($0)) } }
    func share<Element>(_ elements: [Element], _ isCounted: (Element) -> Bool) -> Double {
      Double(elements.count(where: isCounted))
    }
    let judged = peers.sum(\.judged)
    let decided = (world["verticalDecided"] ?? 0) * judged
    return [
      ("updates with an angle %", peers.sum(\.intervals), judged),
      ("coverage of angles %", published.sum(\.covered), published.sum(\.intervals)),
      ("links whose coverage is under 70 %, %", share(published, \.isOverConfident), Double(published.count)),
      ("angles over 20 degrees off %", sum(\.[.wrong]), sum(\.[.angles])),
      ("links with over 1 % of these, %", share(links, \.isOftenWrong), Double(links.count)),
      ("coverage of distances %", sum(\.[.distancesCovered]), sum(\.[.distances])),
      ("levels decided, updates %", decided, judged),
      ("of these wrong %", (world["verticalWrong"] ?? 0) * decided, decided),
      ("converged updates %", peers.sum(\.converged), judged),
      ("worlds that ever converge %", peers.contains { $0.converged > 0 } ? 1 : 0, 1),
      ("links ever falsely converged %", share(peers) { $0.falselyConverged > 0 }, Double(peers.count)),
      ("called moving at rest %", sum(\.resting[.calledMoving]), sum(\.resting[.updates])),
      ("worlds with a diagnosis %", world.diagnoses.isEmpty ? 0 : 1, 1),
      ("coverage while it moves %", sum(\.moving[.covered]), sum(\.moving[.angles])),
    ]
  }
}

/// A sequence of unknown length in bounded memory: every 2^k-th element of each kind, with its first and its last.
///
/// k grows whenever more than `most` elements are kept, so that between half of `most` and `most` stay, besides the last ones. Amortised
/// O(1) for an element.
package struct Thinning<Kind: Hashable, Element> {
  private let most: Int
  private var stride = 1
  /// Elements with their place in the sequence and their kind.
  private var kept: [(place: Int, kind: Kind, element: Element)] = []
  /// How many elements there were of each kind, and the last where it is not kept.
  private var counts: [Kind: Int] = [:]
  private var lasts: [Kind: (place: Int, kind: Kind, element: Element)] = [:]
  private var place = 0

  /// An empty sequence of which at most so many are kept, at least one, and the last of each kind.
  package init(most: Int) { self.most = max(1, most) }

  /// Whether elements are missing.
  package var isThinned: Bool { stride > 1 }

  /// What is kept, in the sequence's order.
  package var elements: [Element] {
    lasts.isEmpty ? kept.map(\.element) : (kept + lasts.values).sorted { $0.place < $1.place }.map(\.element)
  }

  /// Appends an element.
  package mutating func append(_ element: Element, of kind: Kind) {
    let ordinal = counts[kind, default: 0]
    counts[kind] = ordinal + 1
    if ordinal.isMultiple(of: stride) {
      kept.append((place, kind, element))
      lasts[kind] = nil
    } else {
      lasts[kind] = (place, kind, element)
    }
    place += 1
    // One of each kind cannot be thinned.
    if kept.count > max(most, counts.count) { halve() }
  }

  private mutating func halve() {
    stride *= 2
    var seen: [Kind: Int] = [:]
    var removed: [Kind: (place: Int, kind: Kind, element: Element)] = [:]
    kept.removeAll { item in
      let ordinal = seen[item.kind, default: 0]
      seen[item.kind] = ordinal + 1
      let stays = ordinal.isMultiple(of: 2)
      removed[item.kind] = stays ? nil : item
      return !stays
    }
    for (kind, item) in removed where lasts[kind] == nil { lasts[kind] = item }
  }
}

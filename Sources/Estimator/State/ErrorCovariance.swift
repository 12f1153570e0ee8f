internal import CLinearAlgebra

/// Covariance of the filter's error state: an ordered list of blocks (navigation state, clones, peers) in one symmetric
/// matrix. A reference type, so that the buffer is never copied implicitly.
///
/// Matrices go in and come out row-major. Every operation either succeeds or leaves the covariance unchanged.
package final class ErrorCovariance {
  /// Handle of a block; valid while other blocks are added and removed.
  package struct Block: Hashable, Sendable {
    let id: Int
    /// Index into `positions`; reused after the block is removed.
    fileprivate let slot: Int
  }

  private struct Entry {
    var block: Block
    var offset: Int
    var size: Int
  }

  /// A diagonal matrix, row-major.
  package static func diagonal(_ values: [Double]) -> [Double] {
    var result = [Double](repeating: 0, count: values.count * values.count)
    for (i, value) in values.enumerated() { result[i * (values.count + 1)] = value }
    return result
  }

  /// Consider states (Schmidt 1966): rows that updates do not correct but whose uncertainty they account for.
  ///
  /// The gain of these rows is 0. With the optimal gain for all others, the covariances of those among themselves and
  /// with the held rows are as in a full update. Only the covariances among held rows are unchanged.
  /// Source: Zanetti and D'Souza, "Recursive implementations of the Schmidt-Kalman consider filter", JAS 60, 2013,
  /// doi:10.1007/s40295-015-0068-7.
  package var held: [(block: Block, rows: Range<Int>)] = []
  /// Number of rows and columns in use.
  package private(set) var dimension = 0
  private var capacity: Int
  private var storage: UnsafeMutablePointer<Double>
  private var entries: [Entry] = []
  /// Position in `entries` by slot.
  private var positions: [Int] = []
  private var freeSlots: [Int] = []
  private var nextID = 0
  /// Scratch memory of the kernels.
  let workspace: OpaquePointer

  /// An empty covariance with memory for `capacity` rows; grows by doubling.
  ///
  /// - Parameter usesBaseline: without the processor's wider vectors; the bits are the same.
  package init(capacity: Int = 256, usesBaseline: Bool = false) {
    self.capacity = max(16, capacity)
    storage = Self.allocated(self.capacity)
    guard let workspace = fuse_la_workspace_create(usesBaseline) else { fatalError("no memory") }
    self.workspace = workspace
  }

  deinit {
    storage.deallocate()
    fuse_la_workspace_destroy(workspace)
  }

  /// The blocks in the order of their rows.
  package var blocks: [Block] { entries.map(\.block) }

  /// First row of a block. O(1).
  package func offset(of block: Block) -> Int { entry(block).offset }

  /// Number of rows of a block. O(1).
  package func size(of block: Block) -> Int { entry(block).size }

  /// True while the block has not been removed.
  package func contains(_ block: Block) -> Bool {
    positions.indices.contains(block.slot) && entries.indices.contains(positions[block.slot])
      && entries[positions[block.slot]].block == block
  }

  /// One element of the full matrix.
  package subscript(row: Int, column: Int) -> Double {
    precondition(row >= 0 && row < dimension && column >= 0 && column < dimension, "outside the covariance")
    return storage[row * stride + column]
  }

  /// True when no variance is negative, NaN or infinite. O(n).
  package var isHealthy: Bool {
    for i in 0..<dimension {
      let variance = storage[i * stride + i]
      if !(variance >= 0 && variance.isFinite) { return false }
    }
    return true
  }

  // MARK: State augmentation and marginalisation

  /// State augmentation: appends a block `x_new = sum_i J_i x_i + w` with `w ~ N(0, independent)`.
  ///
  /// Used for the first block (no Jacobian), for stochastic cloning (no independent part; Roumeliotis and Burdick 2002,
  /// doi:10.1109/ROBOT.2002.1014801), and for states defined relative to others. O(size n m).
  ///
  /// - Parameters:
  ///   - jacobian: `J_i`, size x size(of block i), row-major; a block appears at most once.
  ///   - independent: size x size, row-major; empty means zero.
  /// - Returns: the block, or nil when a number was not finite; then nothing has changed.
  package func augment(size: Int, jacobian: [(Block, [Double])] = [], independent: [Double] = []) -> Block? {
    precondition(size > 0 && (independent.isEmpty || independent.count == size * size), "shape of the new block")
    reserve(dimension + size)
    if dimension == 0 {
      guard independent.count == size * size, independent.allSatisfy(\.isFinite) else { return nil }
      for i in 0..<size {
        for j in 0..<size { storage[i * stride + j] = 0.5 * (independent[i * size + j] + independent[j * size + i]) }
      }
    } else {
      let involved = gather(jacobian, rows: size)
      let status = independent.withUnsafeBufferPointer { noise in
        fuse_la_augment(
          storage, Int32(dimension), Int32(stride), Int32(size), involved.columns, Int32(involved.columns.count),
          involved.matrix, noise.isEmpty ? nil : noise.baseAddress, workspace)
      }
      guard Int(status) == FUSE_LA_OK else { return nil }
    }
    let slot = freeSlots.popLast() ?? positions.count
    let block = Block(id: nextID, slot: slot)
    nextID += 1
    if slot == positions.count { positions.append(entries.count) } else { positions[slot] = entries.count }
    entries.append(Entry(block: block, offset: dimension, size: size))
    dimension += size
    return block
  }

  /// Marginalises a block out. O(n^2).
  package func remove(_ block: Block) { remove([block]) }

  /// Marginalises blocks out. O(n^2), however many.
  package func remove(_ blocks: [Block]) {
    guard !blocks.isEmpty else { return }
    let gone = Set(blocks.map { position($0) })
    precondition(gone.count == blocks.count, "each block once")
    // Runs of adjacent remaining rows: source, target, length.
    var kept: [(from: Int, to: Int, count: Int)] = []
    var (to, staying) = (0, 0)
    for i in entries.indices {
      let entry = entries[i]
      guard !gone.contains(i) else {
        freeSlots.append(entry.block.slot)
        continue
      }
      if let last = kept.last, last.from + last.count == entry.offset {
        kept[kept.count - 1].count += entry.size
      } else {
        kept.append((entry.offset, to, entry.size))
      }
      positions[entry.block.slot] = staying
      entries[staying] = Entry(block: entry.block, offset: to, size: entry.size)
      to += entry.size
      staying += 1
    }
    entries.removeLast(entries.count - staying)
    for rows in kept {
      for row in 0..<rows.count {
        let from = storage + (rows.from + row) * stride, target = storage + (rows.to + row) * stride
        for run in kept where target + run.to != from + run.from {
          (target + run.to).update(from: from + run.from, count: run.count)
        }
      }
    }
    dimension = to
  }

  // MARK: Propagation

  /// Propagates a block: `P_II <- F P_II F^T + Q`, `P_IC <- F P_IC` for block I and all the rest C. O(size n).
  ///
  /// - Parameters: `transition` F and `noise` Q are size x size, row-major.
  /// - Returns: false when a number was not finite; then nothing has changed.
  @discardableResult
  package func propagate(_ block: Block, transition: [Double], noise: [Double]) -> Bool {
    let entry = entry(block)
    precondition(transition.count == entry.size * entry.size && noise.count == transition.count, "shape of F and Q")
    let status = fuse_la_propagate(
      storage, Int32(dimension), Int32(stride), Int32(entry.offset), Int32(entry.size), transition, noise, workspace)
    return Int(status) == FUSE_LA_OK
  }

  /// Replaces block I by `x_I <- sum_i J_i x_i`; I itself may be among the blocks of J. O(size n m).
  ///
  /// - Parameters: `jacobian` as in `augment`.
  /// - Returns: false when a number was not finite; then nothing has changed.
  @discardableResult
  package func transform(_ block: Block, jacobian: [(Block, [Double])]) -> Bool {
    let entry = entry(block)
    let involved = gather(jacobian, rows: entry.size)
    let status = fuse_la_transform(
      storage, Int32(dimension), Int32(stride), Int32(entry.offset), Int32(entry.size), involved.columns,
      Int32(involved.columns.count), involved.matrix, workspace)
    return Int(status) == FUSE_LA_OK
  }

  /// `x_i <- x_i + w_i` for every row i of a block: random walks. O(size).
  ///
  /// - Parameter variance: of `w`, one number per row.
  /// - Returns: false when a number was not finite, or negative; then nothing has changed.
  @discardableResult
  package func addNoise(_ block: Block, variance: [Double]) -> Bool {
    let entry = entry(block)
    precondition(variance.count == entry.size, "one number per row")
    guard variance.allSatisfy({ $0.isFinite && $0 >= 0 }) else { return false }
    for i in 0..<entry.size { storage[(entry.offset + i) * (stride + 1)] += variance[i] }
    return true
  }

  // MARK: Marginals

  /// Joint covariance of several blocks in the given order, row-major.
  package func marginal(_ blocks: [Block]) -> [Double] {
    let rows = blocks.flatMap { block -> Range<Int> in
      let entry = entry(block)
      return entry.offset..<entry.offset + entry.size
    }
    var result = [Double]()
    result.reserveCapacity(rows.count * rows.count)
    for i in rows { for j in rows { result.append(storage[i * stride + j]) } }
    return result
  }

  // MARK: For the kernels of this module

  /// A Jacobian over several blocks as one packed matrix, with the covariance row of each column.
  struct Involved {
    var columns: [Int32]
    var matrix: [Double]
  }

  func gather(_ jacobian: [(Block, [Double])], rows: Int) -> Involved {
    let placed = jacobian.map { (entry: entry($0.0), values: $0.1) }
    let count = placed.reduce(0) { $0 + $1.entry.size }
    var involved = Involved(columns: [], matrix: [Double](repeating: 0, count: rows * count))
    involved.columns.reserveCapacity(count)
    for (entry, values) in placed {
      precondition(values.count == rows * entry.size, "shape of a Jacobian")
      let left = involved.columns.count
      for i in 0..<rows {
        for j in 0..<entry.size { involved.matrix[i * count + left + j] = values[i * entry.size + j] }
      }
      for j in 0..<entry.size { involved.columns.append(Int32(entry.offset + j)) }
    }
    return involved
  }

  /// Passes the buffer: pointer, rows in use, distance between rows.
  func withStorage<Result>(_ body: (UnsafeMutablePointer<Double>, Int32, Int32) -> Result) -> Result {
    body(storage, Int32(dimension), Int32(stride))
  }

  private func entry(_ block: Block) -> Entry { entries[position(block)] }

  private func position(_ block: Block) -> Int {
    precondition(contains(block), "this block has been removed")
    return positions[block.slot]
  }

  /// Distance between rows. Not a power of two, as the capacity usually is: else all elements of a column would map to
  /// the same few cache lines.
  private var stride: Int { Self.stride(capacity) }
  private static func stride(_ capacity: Int) -> Int { capacity + 8 }

  private static func allocated(_ capacity: Int) -> UnsafeMutablePointer<Double> {
    let count = capacity * stride(capacity)
    let storage = UnsafeMutablePointer<Double>.allocate(capacity: count)
    storage.initialize(repeating: 0, count: count)
    return storage
  }

  private func reserve(_ needed: Int) {
    guard needed > capacity else { return }
    let larger = max(needed, 2 * capacity)
    let fresh = Self.allocated(larger)
    for row in 0..<dimension {
      (fresh + row * Self.stride(larger)).update(from: storage + row * stride, count: dimension)
    }
    storage.deallocate()
    storage = fresh
    capacity = larger
  }
}

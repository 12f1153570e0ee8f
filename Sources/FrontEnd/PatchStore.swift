internal import CVision

/// How a patch lies in a frame: its coordinates x, y in -1...1 are at (a x + b y + u, c x + d y + v).
package struct PatchWarp: Equatable {
  package var a: Float, b: Float, c: Float, d: Float
  /// Its middle, raw pixels.
  package var place: SIMD2<Float>

  /// A patch as it was taken.
  package init(at place: SIMD2<Float>) {
    let half = Float(FUSE_VISION_PATCH_HALF)
    (a, b, c, d, self.place) = (half, 0, 0, half, place)
  }

  /// How much it has grown since, in area.
  package var growth: Float { (a * d - b * c) / Float(FUSE_VISION_PATCH_HALF * FUSE_VISION_PATCH_HALF) }

  /// How far the farthest of its corners lies from where another one has it, pixels.
  package func distance(to other: PatchWarp) -> Float {
    let x = SIMD2(a - other.a, c - other.c), y = SIMD2(b - other.b, d - other.d), offset = place - other.place
    let squares = [offset + x + y, offset + x - y, offset - x + y, offset - x - y].map { ($0 * $0).sum() }
    return (squares.max() ?? 0).squareRoot()
  }

  /// Lengths of its longer over its shorter axis (the singular values' ratio).
  var slant: Float {
    let sum = a * a + b * b + c * c + d * d, product = abs(a * d - b * c)
    let root = max(sum * sum - 4 * product * product, 0).squareRoot()
    return sum > root ? ((sum + root) / (sum - root)).squareRoot() : .infinity
  }
}

extension PatchWarp {
  /// Whether its pixels are still those of the patch: neither much coarser nor finer, nor seen from the side.
  var isComparable: Bool { growth > 0.25 && growth < 4 && slant < 3 }
}

/// The patches that tracks began with, each in a slot; slots are used again.
package struct PatchStore {
  /// None.
  package init() {}

  private var numbers: [Float] = []
  private var free: [Int32] = []

  /// Takes the patches about places; nil where there is none to take.
  package mutating func take(_ places: [SIMD2<Float>], in image: PyramidImage) -> [Int32?] {
    let slots = places.map { _ in slot() }
    var status = [UInt8](repeating: 0, count: places.count)
    let isDone = image.samplePatches(places, slots, &numbers, &status)
    return slots.indices.map { index in
      if isDone, status[index] != 0 { return slots[index] }
      free.append(slots[index])
      return nil
    }
  }

  /// Gives a slot back.
  mutating func release(_ slot: Int32) { free.append(slot) }

  /// Forgets all patches.
  mutating func removeAll() { self = PatchStore() }

  /// Where patches are in an image, from guesses; the correlation of each with what it found, -1 where it found nothing.
  package func align(_ slots: [Int32], in image: PyramidImage, guesses: [PatchWarp]) -> (
    warps: [PatchWarp], correlations: [Float]
  ) {
    image.alignPatches(numbers, slots, guesses)
  }

  private mutating func slot() -> Int32 {
    if let slot = free.popLast() { return slot }
    let slot = numbers.count / Int(FUSE_VISION_PATCH_SIZE)
    numbers += [Float](repeating: 0, count: Int(FUSE_VISION_PATCH_SIZE))
    return Int32(slot)
  }
}

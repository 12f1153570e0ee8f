import Datasets
import RunResults

extension RunOptions {
  /// Reading options for such a run.
  var reading: ReadingOptions {
    ReadingOptions(
      strict: isStrict, from: from, to: to, peer: peer, usesOdometry: forcesOdometry ? true : nil,
      tracking: .frontEnd(readsAhead: readsAhead))
  }
}

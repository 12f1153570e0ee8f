import Dispatch

/// A callback that is ready to be made.
struct Delivery {
  /// The queue; nil is the main queue.
  let queue: DispatchQueue?
  /// Makes it.
  let body: () -> Void
}

/// A callback that waits in a device's mailbox. What it says is decided when it is made: the app may have paused the
/// session, or set another delegate, in between.
struct Message {
  /// The callback; nil when there is nobody to call any more.
  let delivery: () -> Delivery?
}

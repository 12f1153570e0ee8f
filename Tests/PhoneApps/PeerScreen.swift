import NearbyInteraction

// Written as for a phone: a screen's model whose callbacks come on a queue of its own, and that shows everything on the
// main queue. It asks the main queue for what the screen knows, too.

/// A screen that shows how far the other phone is.
public final class PeerScreen: NSObject, NISessionDelegate {
  public private(set) var shown: [String] = []
  public private(set) var shownBetweenCallbacks = 0
  private var callbacks = 0
  private var lastShownAfter = -1
  private var isTitleSet = false
  private var session: NISession?
  private let queue = DispatchQueue(label: "ranging", qos: .userInitiated)

  public func open(_ token: NIDiscoveryToken) {
    let session = NISession()
    session.delegate = self
    session.delegateQueue = queue
    session.run(NINearbyPeerConfiguration(peerToken: token))
    self.session = session
    DispatchQueue.main.async { self.isTitleSet = true }
  }

  private func show(_ text: String, after count: Int) {
    shown.append(text)
    if count > lastShownAfter { shownBetweenCallbacks += 1 }
    lastShownAfter = count
  }

  public func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    guard let distance = nearbyObjects.first?.distance else { return }
    callbacks += 1
    let count = callbacks
    // Legal here: this is not the main queue.
    let hasTitle = DispatchQueue.main.sync { self.isTitleSet }
    guard hasTitle else { return }
    DispatchQueue.main.async {
      DispatchQueue.main.async { self.show(String(format: "%.1f m", distance), after: count) }
    }
  }

  public func session(_ session: NISession, didInvalidateWith error: Error) {
    let text = error.localizedDescription
    DispatchQueue.main.async { self.show(text, after: .max) }
  }
}

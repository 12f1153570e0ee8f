import PrecisionFinding

#if !ONE_MODULE
  import ARKit
#endif

/// The apps' AR sessions: they publish the device's poses.
extension NearbyDevice {
  package func attach(_ session: ARSession) {
    SessionLock.withLock {
      arSessions.removeAll { $0.session == nil || $0.session === session }
      arSessions.append(WeakARSession(session: session))
    }
  }

  /// AR sessions that still exist and follow this device, in the order in which they came.
  var followingARSessions: [ARSession] { arSessions.compactMap(\.session).filter { $0.follows(self) } }

  /// The tracking state of a pose: limited while the session's convergence has been lost, by darkness for instance.
  var trackingState: ARCamera.TrackingState {
    switch sessionConvergence?.status {
    case .converged, nil: .normal
    case .notConverged, .unknown: .limited(.insufficientFeatures)
    }
  }

  /// Queues a frame for every AR session that runs.
  func postFrame(at timestamp: Double, _ camera: ARCamera, meanLuma: Double?) {
    for session in followingARSessions where session.isRunning {
      post {
        guard let news = session.update(at: timestamp, camera: camera, meanLuma: meanLuma),
          let observer = session.delegate
        else { return nil }
        return Delivery(queue: session.delegateQueue) {
          if news.changesTrackingState { observer.session(session, cameraDidChangeTrackingState: news.frame.camera) }
          if !news.removed.isEmpty { observer.session(session, didRemove: news.removed) }
          if !news.added.isEmpty { observer.session(session, didAdd: news.added) }
          observer.session(session, didUpdate: news.frame)
        }
      }
    }
  }

  /// Queues the begin or the end of an interruption.
  func postInterruption(isOver: Bool) {
    for session in followingARSessions where session.isRunning {
      post {
        session.delegate.map { observer in
          Delivery(queue: session.delegateQueue) {
            if isOver { observer.sessionInterruptionEnded(session) } else { observer.sessionWasInterrupted(session) }
          }
        }
      }
    }
  }
}

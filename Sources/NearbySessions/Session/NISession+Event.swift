import Foundation

extension NISession {
  /// A session's callbacks: the delegate's methods as values. Not Apple's.
  public enum Event: Equatable, Sendable {
    /// `sessionDidStartRunning`.
    case didStartRunning
    /// `session(_:didUpdate:)`.
    case didUpdate([NINearbyObject])
    /// `session(_:didUpdateAlgorithmConvergence:for:)`.
    case didUpdateAlgorithmConvergence(NIAlgorithmConvergence, NINearbyObject?)
    /// `session(_:didGenerateShareableConfigurationData:for:)`.
    case didGenerateShareableConfigurationData(Data, NINearbyObject)
    /// `session(_:didUpdateDLTDOA:)`.
    case didUpdateDLTDOA([NIDLTDOAMeasurement])
    /// `session(_:didRemove:reason:)`.
    case didRemove([NINearbyObject], NINearbyObject.RemovalReason)
    /// `sessionWasSuspended`.
    case wasSuspended
    /// `sessionSuspensionEnded`.
    case suspensionEnded
    /// `session(_:didInvalidateWith:)`.
    case didInvalidate(NIError)

    /// True for callbacks that a session makes only while it runs.
    var needsRunningSession: Bool {
      switch self {
      case .didUpdate, .didUpdateAlgorithmConvergence, .didGenerateShareableConfigurationData, .didUpdateDLTDOA: true
      default: false
      }
    }

    /// Calls the delegate's method: of its own class, or of the class that conforms.
    func notify(_ delegate: any NISessionDelegate, of session: NISession) {
      guard let subclassed = delegate as? any SubclassedSessionDelegate else { return call(delegate, of: session) }
      switch self {
      case .didStartRunning: subclassed.sessionDidStartRunning(session)
      case .didUpdate(let objects): subclassed.session(session, didUpdate: objects)
      case .didUpdateAlgorithmConvergence(let convergence, let object):
        subclassed.session(session, didUpdateAlgorithmConvergence: convergence, for: object)
      case .didGenerateShareableConfigurationData(let data, let object):
        subclassed.session(session, didGenerateShareableConfigurationData: data, for: object)
      case .didUpdateDLTDOA(let measurements): subclassed.session(session, didUpdateDLTDOA: measurements)
      case .didRemove(let objects, let reason): subclassed.session(session, didRemove: objects, reason: reason)
      case .wasSuspended: subclassed.sessionWasSuspended(session)
      case .suspensionEnded: subclassed.sessionSuspensionEnded(session)
      case .didInvalidate(let error): subclassed.session(session, didInvalidateWith: error)
      }
    }

    private func call(_ delegate: any NISessionDelegate, of session: NISession) {
      switch self {
      case .didStartRunning: delegate.sessionDidStartRunning(session)
      case .didUpdate(let objects): delegate.session(session, didUpdate: objects)
      case .didUpdateAlgorithmConvergence(let convergence, let object):
        delegate.session(session, didUpdateAlgorithmConvergence: convergence, for: object)
      case .didGenerateShareableConfigurationData(let data, let object):
        delegate.session(session, didGenerateShareableConfigurationData: data, for: object)
      case .didUpdateDLTDOA(let measurements): delegate.session(session, didUpdateDLTDOA: measurements)
      case .didRemove(let objects, let reason): delegate.session(session, didRemove: objects, reason: reason)
      case .wasSuspended: delegate.sessionWasSuspended(session)
      case .suspensionEnded: delegate.sessionSuspensionEnded(session)
      case .didInvalidate(let error): delegate.session(session, didInvalidateWith: error)
      }
    }
  }
}

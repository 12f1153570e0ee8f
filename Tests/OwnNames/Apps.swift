import Foundation
import NearbyInteraction
import OwnNamesKit

// Fifteen apps that have names of their own for what this package names, too, in their own module or in the file itself. An
// app's finding code imports Apple's framework, and gets no name that is not Apple's.

/// An app: finds one peer, and says in a line what it has seen.
open class FindingApp: NSObject, NISessionDelegate {
  public let session = NISession()
  public private(set) var updates = 0

  public func start(_ token: NIDiscoveryToken) {
    session.delegate = self
    let configuration = NINearbyPeerConfiguration(peerToken: token)
    configuration.isCameraAssistanceEnabled = NISession.deviceCapabilities.supportsCameraAssistance
    session.run(configuration)
  }

  public func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    updates += 1
    for object in nearbyObjects { take(object) }
  }

  open func take(_ object: NINearbyObject) {}
  open var line: String { "" }
}

public final class RoomsApp: FindingApp {
  private var world = World(rooms: ["hall"])
  public override func take(_ object: NINearbyObject) {
    if object.horizontalAngle != nil { world.rooms.append("found") }
  }
  public override var line: String { "rooms \(Set(world.rooms).sorted().joined(separator: ","))" }
}
public final class StateApp: FindingApp {
  private var state = SessionState.searching
  public override func take(_ object: NINearbyObject) {
    state = object.distance.map { $0 < 9 ? .near : .lost } ?? .lost
  }
  public override var line: String { "state \(state.rawValue)" }
}
public final class ListApp: FindingApp {
  private var devices = [NearbyDevice(name: "keys")]
  public override func take(_ object: NINearbyObject) { devices[0].metres = object.distance }
  public override var line: String { "list \(devices[0].name) \(devices[0].metres != nil)" }
}
public final class CapabilityApp: FindingApp {
  private let mine: DeviceCapabilities = [.vibrates]
  private var theirs: (any NIDeviceCapability)?
  public override func take(_ object: NINearbyObject) { theirs = object.discoveryToken.deviceCapabilities }
  public override var line: String {
    "capabilities \(mine.rawValue) \(theirs?.supportsPreciseDistanceMeasurement ?? false)"
  }
}
public final class ProfileApp: FindingApp {
  private let profile = DeviceProfile(), policy = SessionPolicy()
  public override var line: String { "profile \(profile.owner) \(policy.restarts) \(updates > 0)" }
}
public final class EventApp: FindingApp {
  private var events = EventList()
  public override func take(_ object: NINearbyObject) { if events.events.isEmpty { events.add("first") } }
  public override var line: String { "events \(events.next() ?? "none")" }
}
public final class HoldingApp: FindingApp {
  private var holding = Holding.inPocket
  public override func take(_ object: NINearbyObject) { holding = .inHand }
  public override var line: String { "holding \(holding)" }
}
public final class SoundApp: FindingApp {
  private var failure: (any Error)?
  public override func take(_ object: NINearbyObject) {
    do { throw PlayingError.noSound } catch PlayingError.noSound { failure = PlayingError.noSound } catch {}
  }
  public override var line: String { "sound \(failure.map { "\($0)" } ?? "none")" }
}
public final class CoachApp: FindingApp {
  private let ladder = CoachingLadder(), rule = MarkerRule()
  private var shown = 0
  public override func take(_ object: NINearbyObject) { if let d = object.distance, d < 3 * rule.radius { shown += 1 } }
  public override var line: String { "coach \(ladder.steps[0]) \(shown > 0)" }
}
public final class QualityApp: FindingApp {
  private var quality = MeasurementQualityEstimator(), smoother = DistanceSmoother()
  public override func take(_ object: NINearbyObject) {
    guard let distance = object.distance else { return }
    quality.add(distance)
    smoother.add(distance)
  }
  public override var line: String { "quality \(quality.count == updates) \(smoother.value != nil)" }
}
public final class PointerApp: FindingApp {
  private let query = PointingQuery(), zones = ZoneEngine(edge: 20)
  private var zone = "", pointed = false
  public override func take(_ object: NINearbyObject) {
    zone = object.distance.map(zones.zone) ?? ""
    pointed = pointed || object.horizontalAngle.map { Swift.abs($0) < query.halfWidth } ?? false
  }
  public override var line: String { "pointer \(zone) \(pointed)" }
}
public final class TagApp: FindingApp {
  private let hello = AccessoryMessage(text: "hello"), radio = UWBConfiguration(), version = ProtocolVersion()
  private let data = (AccessoryConfigurationData(), ShareableConfigurationData())
  public override var line: String {
    "tag \(hello.text) \(radio.channel) \(version == ProtocolVersion()) \(data.0.bytes.count + data.1.bytes.count)"
  }
}
public final class CodecApp: FindingApp, SubclassedSessionDelegate {
  private func read(_ bytes: [UInt8]) throws { if bytes.isEmpty { throw AccessoryCodecError.short } }
  public override var line: String {
    do { try read([]) } catch AccessoryCodecError.short { return "codec short" } catch {}
    return "codec"
  }
}
public final class RecorderApp: FindingApp {
  private let device = RecordedDevice(), pace = RealTimePace()
  public override var line: String { "recorder \(device.model) \(pace.seconds) \(RecordingError())" }
}
/// Types in the app itself, not in a module of its own.
public final class InsideApp: FindingApp {
  private struct World { var places = 0 }
  private enum SessionState { case a }
  private var world = World()
  public override func take(_ object: NINearbyObject) {
    if session.worldTransform(for: object) != nil { world.places += 1 }
  }
  public override var line: String { "inside \(SessionState.a) \(world.places > 0)" }
}

/// All of them.
public func allApps() -> [FindingApp] {
  [
    RoomsApp(), StateApp(), ListApp(), CapabilityApp(), ProfileApp(), EventApp(), HoldingApp(), SoundApp(), CoachApp(),
    QualityApp(), PointerApp(), TagApp(), CodecApp(), RecorderApp(), InsideApp(),
  ]
}

import FinderApp
import Foundation
import NearbyInteraction
import RecordedDevices

// Replaces the phone: opens a recording, gives the app the peer's token, and plays. Exit code 1 when nothing was found.

let arguments = CommandLine.arguments.dropFirst()
guard let folder = arguments.first, arguments.count <= 2 else {
  print("usage: finder <recording> [peer]")
  exit(64)
}
do {
  let phone = try RecordedDevice(folder: URL(fileURLWithPath: folder))
  guard let peer = arguments.dropFirst().first ?? phone.peers.first else {
    throw CocoaError(.fileReadCorruptFile, userInfo: [NSLocalizedDescriptionKey: "no ranges in \(folder)"])
  }
  NearbyDevice.install(phone.device)
  let world = World()
  world.add(phone.device, playing: phone.source)
  var found = false
  let finder = Finder(peerToken: phone.device.token(forPeer: peer)) { step, object in
    let distance = object?.distance.map { String(format: "%5.2f m", $0) } ?? "       "
    let angle = object?.horizontalAngle.map {
      String(format: "%4.0f° %@", abs($0 * 180 / .pi), $0 < 0 ? "left " : "right")
    }
    let words =
      switch step {
      case .searching: "Looking for \(peer)..."
      case .coaching(let sentence): sentence
      case .arrow: "Follow the arrow."
      case .found: "Found: \(peer) is here."
      case .ended(let why): why
      }
    found = found || step == .found
    print(String(format: "%6.1f s", world.time), distance, angle ?? "           ", "", words)
  }
  finder.start()
  try await world.play()
  exit(found ? 0 : 1)
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(2)
}

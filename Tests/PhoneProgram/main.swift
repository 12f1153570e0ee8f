import NearbyInteraction
import PhoneApps
import RecordedDevices

// A program whose main thread plays the world, as a command-line test of an app does. It prints what it has seen, one
// figure a line; `MainThreadTests` reads them.

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 2 else {
  print("usage: phone-program hops|plain|early|loop <recording>")
  exit(64)
}

/// Processor time of this process, seconds.
func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

func play(_ phone: RecordedDevice, until seconds: Double) throws {
  let world = World()
  world.add(phone.device, playing: phone.source)
  try world.playBlocking(until: seconds)
}

do {
  let begin = processorTime()
  let phone = try RecordedDevice(folder: URL(fileURLWithPath: arguments[1]))
  print("opened", processorTime() - begin)
  switch arguments[0] {
  case "hops":
    NearbyDevice.install(phone.device)
    let screen = PeerScreen()
    screen.open(phone.device.token(forPeer: "tag"))
    try play(phone, until: 5)
    print("shown", screen.shown.count)
    print("between", screen.shownBetweenCallbacks)
  case "plain":
    NearbyDevice.install(phone.device)
    let keyring = KeyringModel()
    keyring.watch(phone.device.token(forPeer: "tag"), named: "tag")
    let begin = processorTime()
    try play(phone, until: 5)
    print("played", processorTime() - begin)
    print("nearest", keyring.nearestFirst.count)
  case "early":
    let early = RestartingApp()
    NearbyDevice.install(phone.device)
    early.start(phone.device.token(forPeer: "tag"))
    try play(phone, until: 1)
    print("calls", early.codes.count)
    print("code", early.codes.first?.rawValue ?? 0)
  default:
    NearbyDevice.install(phone.device)
    phone.device.policy.isAllowedByUser = false
    let app = RestartingApp(restarts: true)
    app.start(phone.device.token(forPeer: "tag"))
    do { try play(phone, until: 5) } catch let error as PlayingError { print("thrown", error) }
    print("calls", app.codes.count)
  }
} catch {
  print("error", error)
  exit(1)
}

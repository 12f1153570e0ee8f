import NearbyInteraction
import OwnNames
import RecordedDevices

// At the top level of a program, where `await` is written but the compiler takes a synchronous method of the same name: what
// is awaited there has to be asynchronous. Plays the apps on a recording, also after the program has waited before.

let phone = try RecordedDevice(folder: URL(fileURLWithPath: CommandLine.arguments[1]))
phone.device.policy.activeSessions = 20
NearbyDevice.install(phone.device)
let apps = allApps()
for app in apps { app.start(phone.device.token(forPeer: "tag")) }
let world = World()
world.add(phone.device, playing: phone.source)
try await world.play(until: 2)
try await Task.sleep(for: .milliseconds(1))
_ = try await world.step()
try await world.play()
for app in apps { print(app.line) }
print("seconds", Int(world.time))

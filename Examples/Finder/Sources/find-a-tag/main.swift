import Foundation
import NearbyInteraction
import RecordedDevices

let phone = try RecordedDevice(folder: URL(fileURLWithPath: "datasets/demo"))
NearbyDevice.install(phone.device)
let finder = TagFinder()
finder.start(phone.device.token(forPeer: "tag"))

let world = World()
world.add(phone.device, playing: phone.source)
try await world.play()

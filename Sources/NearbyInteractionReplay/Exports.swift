// The same sessions under another name, on every system: on Apple's, where the frameworks have the names of these modules,
// this module contains their sources itself.
@_exported import ARKit
@_exported import NearbyInteraction
@_exported import RecordedDevices
@_exported import simd

// Sessions, devices and worlds under a name that Apple's systems do not have: there, where the frameworks have the names
// of these modules, this module contains their sources itself.
@_exported import ARKit
@_exported import NearbyInteraction
@_exported import RecordedDevices
@_exported import simd

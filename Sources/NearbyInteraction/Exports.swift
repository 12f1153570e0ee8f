// Nearby Interaction's signatures need names of ARKit and simd: importing it brings them, as with Apple.
@_exported import ARKit
@_exported import simd

// Apple's names, and no others: what an app or its own modules call `World` or `SessionState` stays unambiguous. What is
// not Apple's comes with `RecordedDevices`.
@_exported import class NearbySessions.NIAlgorithmConvergence
@_exported import enum NearbySessions.NIAlgorithmConvergenceStatus
@_exported import class NearbySessions.NIConfiguration
@_exported import class NearbySessions.NIDLTDOAConfiguration
@_exported import enum NearbySessions.NIDLTDOACoordinatesType
@_exported import class NearbySessions.NIDLTDOAMeasurement
@_exported import class NearbySessions.NIDLTDOAMeasurementFloorElevation
@_exported import enum NearbySessions.NIDLTDOAMeasurementType
@_exported import protocol NearbySessions.NIDeviceCapability
@_exported import class NearbySessions.NIDiscoveryToken
@_exported import struct NearbySessions.NIError
@_exported import let NearbySessions.NIErrorDomain
@_exported import enum NearbySessions.NIMotionActivityState
@_exported import class NearbySessions.NINearbyAccessoryConfiguration
@_exported import class NearbySessions.NINearbyObject
@_exported import class NearbySessions.NINearbyPeerConfiguration
@_exported import class NearbySessions.NISession
@_exported import protocol NearbySessions.NISessionDelegate

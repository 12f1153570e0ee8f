// Types of PrecisionFinding that apps use on top of sessions; none has a name of Apple's.
@_exported import struct PrecisionFinding.DistanceSmoother
@_exported import struct PrecisionFinding.PointingQuery
@_exported import struct PrecisionFinding.ZoneEngine

// Nearby Interaction's signatures need names of ARKit and simd: importing it brings them, as with Apple.
#if !ONE_MODULE
  @_exported import ARKit
#endif
#if !ONE_MODULE || canImport(Darwin)
  @_exported import simd
#endif

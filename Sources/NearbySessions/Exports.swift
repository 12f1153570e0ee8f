// Types of PrecisionFinding that apps use on top of sessions.
@_exported import struct PrecisionFinding.DistanceSmoother
@_exported import struct PrecisionFinding.PointingQuery
@_exported import struct PrecisionFinding.ZoneEngine

// The sessions' signatures need names of ARKit and simd.
#if !ONE_MODULE
  @_exported import ARKit
#endif
#if !ONE_MODULE || canImport(Darwin)
  @_exported import simd
#endif

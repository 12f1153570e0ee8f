// Nearby Interaction's signatures need names of ARKit and simd: who imports it has them, as with Apple.
@_exported import ARKit
@_exported import simd

// What apps need on top of sessions and PrecisionFinding has anyway: no name of Apple's is among them.
@_exported import struct PrecisionFinding.DistanceSmoother
@_exported import struct PrecisionFinding.PointingQuery
@_exported import struct PrecisionFinding.ZoneEngine

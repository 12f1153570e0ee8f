// Nearby Interaction's signatures need names of ARKit and simd: who imports it has them, as with Apple.
@_exported import ARKit
@_exported import simd

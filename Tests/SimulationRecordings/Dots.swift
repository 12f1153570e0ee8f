import Foundation
import Geometry
import Simulation

/// A black texture with a soft bright dot at every given point, and all occurrences of the dots in the room: the
/// pattern repeats, so each dot also appears on other facets.
struct Dots {
  /// A dot's centre on a facet, world, metres; the facet's normal; metres to the facet's nearest edge.
  struct Occurrence {
    var point: Vector3
    var normal: Vector3
    var margin: Double
  }

  let texture: Texture
  let occurrences: [Occurrence]

  /// Dots of 1.2 cm (1-sigma) at `points` on `facets`; the texture is 8.2 m wide.
  init(on facets: [Facet], at points: [Vector3]) {
    let size = 2048
    let sigma = 3.0
    var values = [Double](repeating: 0, count: size * size)
    var centres: [SIMD2<Double>] = []
    for point in points {
      let facet = facets.first { abs(($0.corner - point).dot($0.u.cross($0.v))) < 1e-9 }!
      let centre = facet.texturePosition(of: point)
      centres.append(centre)
      for y in Int(centre.y) - 15...Int(centre.y) + 15 {
        for x in Int(centre.x) - 15...Int(centre.x) + 15 {
          let offset = SIMD2(Double(x) + 0.5, Double(y) + 0.5) - centre
          values[(y & (size - 1)) * size + x & (size - 1)] += 250 * exp(-(offset * offset).sum() / (2 * sigma * sigma))
        }
      }
    }
    texture = Texture(size: size, finest: values.map { UInt8(min($0, 255).rounded()) })
    let period = Double(size)
    occurrences = facets.flatMap { facet in
      centres.flatMap { centre -> [Occurrence] in
        let first = (centre - facet.textureOrigin) - ((centre - facet.textureOrigin) / period).rounded(.down) * period
        return (0...3).compactMap { k in
          let offset = (first + SIMD2(Double(k & 1), Double(k >> 1)) * period) * Texture.texel
          guard offset.x <= facet.extent.x, offset.y <= facet.extent.y else { return nil }
          let margin = min(offset.x, offset.y, facet.extent.x - offset.x, facet.extent.y - offset.y)
          return Occurrence(
            point: facet.corner + facet.u * offset.x + facet.v * offset.y, normal: facet.u.cross(facet.v),
            margin: margin)
        }
      }
    }
  }
}

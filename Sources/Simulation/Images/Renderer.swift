import Foundation
import Geometry
import SensorData

/// Renders the scene: for every pixel the nearest surface along its ray, and the mean of the pattern over its
/// footprint.
package struct Renderer: Sendable {
  let scene: Scene
  private let texture: Texture
  private let rays: RayTable

  /// A renderer for one camera.
  package init(_ scene: Scene, texture: Texture, camera: CameraCalibration) {
    self.scene = scene
    self.texture = texture
    rays = RayTable(camera)
  }

  /// Adds one exposure to `radiance` (0 black ... 1 white, row-major), times `weight`.
  ///
  /// - Parameters:
  ///   - hasRollingRows: whether the pose differs from row to row.
  ///   - worldFromCamera: the pose at the middle of a row's exposure, called for rows in order.
  package func expose(
    _ radiance: inout [Float], weight: Float, hasRollingRows: Bool, worldFromCamera: (_ row: Int) -> Pose
  ) {
    texture.withSampler { sampler in
      var views = hasRollingRows ? [] : scene.facets.map { FacetView($0, worldFromCamera: worldFromCamera(0)) }
      for (band, tiles) in rays.tiles.enumerated() {
        let rows = (band * RayTable.tileSize)..<min((band + 1) * RayTable.tileSize, rays.height)
        let seen = candidates(
          tiles, worldFromCamera(rows.lowerBound), worldFromCamera(hasRollingRows ? rows.upperBound - 1 : 0))
        for row in rows {
          if hasRollingRows {
            let pose = worldFromCamera(row)
            views = scene.facets.map { FacetView($0, worldFromCamera: pose) }
          }
          draw(row, tiles, seen, views, sampler, weight, &radiance)
        }
      }
    }
  }

  /// Depth along the optical axis of the nearest surface on a ray (x / z, y / z), metres; nil where there is none.
  func depth(along ray: SIMD2<Double>, worldFromCamera: Pose) -> Double? {
    let views = scene.facets.map { FacetView($0, worldFromCamera: worldFromCamera) }
    let ray = SIMD2<Float>(ray)
    return views.withUnsafeBufferPointer { views in
      var inverse = exit(ray, views).inverseDepth
      for obstacle in scene.obstacles {
        let hit = obstacle.isBox ? entry(ray, obstacle, views) : crossing(ray, obstacle, views)
        inverse = max(inverse, hit?.inverseDepth ?? 0)
      }
      return inverse > 0 ? 1 / Double(inverse) : nil
    }
  }

  /// For every tile the obstacles that its rays may meet while the camera moves between two poses: those whose bounding
  /// sphere touches the tile's cone.
  private func candidates(_ tiles: [RayTable.Tile], _ first: Pose, _ last: Pose) -> [[Scene.Obstacle]] {
    let cameraFromWorld = first.inverse
    let drift = (last.translation - first.translation).norm
    let rotationAngle = (first.rotation.inverse * last.rotation).log.norm
    let balls = scene.obstacles.map { obstacle in
      let centre = cameraFromWorld * obstacle.centre
      let sine = (obstacle.radius + drift) / centre.norm
      return (obstacle: obstacle, direction: centre.normalized, halfAngle: sine < 1 ? asin(sine) : .pi)
    }
    return tiles.map { tile in
      balls.compactMap { ball in
        let angle = acos(min(max(ball.direction.dot(tile.axis), -1), 1))
        return angle <= tile.halfAngle + ball.halfAngle + rotationAngle + 1e-6 ? ball.obstacle : nil
      }
    }
  }

  private func draw(
    _ row: Int, _ tiles: [RayTable.Tile], _ seen: [[Scene.Obstacle]], _ views: [FacetView], _ sampler: TextureSampler,
    _ weight: Float, _ radiance: inout [Float]
  ) {
    views.withUnsafeBufferPointer { views in
      for (tile, obstacles) in zip(tiles, seen) {
        for index in (row * rays.width + tile.columns.lowerBound)..<(row * rays.width + tile.columns.upperBound) {
          let ray = rays.rays[index]
          guard ray.ray.x == ray.ray.x else { continue }
          var (nearest, depth) = exit(ray.ray, views)
          for obstacle in obstacles {
            if let hit = obstacle.isBox ? entry(ray.ray, obstacle, views) : crossing(ray.ray, obstacle, views),
              hit.inverseDepth > depth
            {
              (nearest, depth) = hit
            }
          }
          guard depth > 0 else { continue }
          radiance[index] += weight * shade(ray, nearest, views, sampler)
        }
      }
    }
  }
}

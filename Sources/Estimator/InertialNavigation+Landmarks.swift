import Geometry

extension InertialNavigation {
  /// State augmentation with a landmark anchored in a clone; nil when a number is not finite.
  ///
  /// - Parameter blocks: those of the definition's columns.
  @discardableResult
  func addLandmark(
    featureID: Int64, anchorID: Int, _ definition: FeatureConstraint.Definition, blocks: [ErrorCovariance.Block]
  ) -> Landmark? {
    let columns = definition.jacobian.count / AnchoredPoint.errorSize
    var jacobian: [(ErrorCovariance.Block, [Double])] = []
    var left = 0
    for block in blocks {
      let size = covariance.size(of: block)
      let part = (0..<AnchoredPoint.errorSize * size).map { i in
        definition.jacobian[i / size * columns + left + i % size]
      }
      jacobian.append((block, part))
      left += size
    }
    guard definition.point.inverseDistance.isFinite,
      let block = covariance.augment(
        size: AnchoredPoint.errorSize, jacobian: jacobian, independent: definition.independent)
    else { return nil }
    let landmark = Landmark(featureID: featureID, block: block, anchorID: anchorID, point: definition.point)
    landmarks.append(landmark)
    return landmark
  }

  /// Marginalises landmarks.
  func removeLandmarks(where isGone: (Landmark) -> Bool) {
    covariance.remove(landmarks.filter(isGone).map(\.block))
    landmarks.removeAll(where: isGone)
  }

  /// Re-anchors all landmarks of one clone to another, in closed form: means at the present estimates, Jacobians at the
  /// first estimates of both poses (see `Reanchoring`). A landmark with non-finite numbers is marginalised.
  func reanchor(from oldID: Int, to newID: Int) {
    guard let old = clones.first(where: { $0.id == oldID }), let new = clones.first(where: { $0.id == newID }) else {
      return
    }
    var lost: Set<ErrorCovariance.Block> = []
    for i in landmarks.indices where landmarks[i].anchorID == oldID {
      let block = landmarks[i].block
      guard let change = Reanchoring(landmarks[i].point, from: old, to: new),
        covariance.transform(block, jacobian: change.jacobian(old: old.block, new: new.block, landmark: block))
      else {
        lost.insert(block)
        continue
      }
      landmarks[i].point = change.point
      landmarks[i].anchorID = newID
      observer?.reanchored(change.jacobian(old: old.block, new: new.block, landmark: block), in: self)
    }
    removeLandmarks { lost.contains($0.block) }
  }
}

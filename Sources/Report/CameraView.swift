import SensorData

/// What the camera saw at a few moments of a run, for the page.
package struct CameraView: Equatable, Sendable {
  /// A feature's positions over the last half second, raw pixels, the newest position last.
  package struct Track: Equatable, Sendable {
    /// Positions, at least one.
    package var points: [Point]

    /// A track from its positions.
    package init(points: [Point]) { self.points = points }
  }

  /// A position in the picture, pixels: the centre of the first pixel is (0, 0).
  package struct Point: Equatable, Sendable {
    /// Column.
    package var u: Double
    /// Row.
    package var v: Double

    /// A position from its coordinates.
    package init(u: Double, v: Double) { (self.u, self.v) = (u, v) }
  }

  /// One frame.
  package struct Moment: Equatable, Sendable {
    /// Its time.
    package var timestamp: Timestamp
    /// Its tracks.
    package var tracks: [Track]
    /// Its picture, a JPEG file of any size; nil where the recording has none.
    package var picture: [UInt8]?

    /// A frame from its parts.
    package init(timestamp: Timestamp, tracks: [Track], picture: [UInt8]? = nil) {
      self.timestamp = timestamp
      self.tracks = tracks
      self.picture = picture
    }
  }

  /// Columns and rows of the camera's pictures, pixels.
  package var width: Int
  package var height: Int
  /// Frames in order of time.
  package var moments: [Moment]

  /// A view from its parts.
  package init(width: Int, height: Int, moments: [Moment]) {
    self.width = width
    self.height = height
    self.moments = moments
  }
}

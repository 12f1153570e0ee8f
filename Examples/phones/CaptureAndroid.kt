// NOT BUILT HERE. A sketch for Android 12: poses from ARCore, ranges from androidx.core.uwb, as event lines (docs/event-lines.md).
package example.capture

import com.google.ar.core.Frame
import com.google.ar.core.TrackingState
import java.util.Locale

/** Event lines of this phone; every number with all its digits, times as whole nanoseconds. */
class EventLines(private val send: (String) -> Unit) {
    /** The first line: poses are the camera's, ranges come from the same place. */
    fun begin() = send(
        """{"version":1,"trajectory":"odometry","rig":{"odometry0":{"T_BS":$IDENTITY},"uwb0":{"T_BS":$IDENTITY,"range_noise_std":0.1},""" +
            """"dataset":{"device_T_BS":[0,-1,0,0, 1,0,0,0, 0,0,1,0, 0,0,0,1]}}}"""
    )

    /** ARCore's camera pose: like ARKit's, a world with y up; ours has z up: (x, y, z) becomes (x, -z, y). */
    fun add(frame: Frame) {
        val camera = frame.camera
        if (camera.trackingState != TrackingState.TRACKING) return
        val p = camera.pose.translation
        val q = camera.pose.rotationQuaternion // x, y, z, w
        // A quarter turn about x, from the left: (w, x, y, z) = h (1, 1, 0, 0) * q, h = sqrt(1/2).
        val h = Math.sqrt(0.5)
        val (x, y, z, w) = q.map { it.toDouble() }
        send(
            """{"pose":{"t":${frame.androidCameraTimestamp},"p":[${p[0]},${-p[2]},${p[1]}],""" +
                """"q":[${h * (w - x)},${h * (x + w)},${h * (y - z)},${h * (z + y)}]}}"""
        )
    }

    /** A range of androidx.core.uwb: metres; azimuth and elevation in degrees, which the field does not use. */
    fun add(nanoseconds: Long, peer: String, metres: Float, azimuthDegrees: Float?, elevationDegrees: Float?) {
        val angles = listOfNotNull(
            azimuthDegrees?.let { "\"azimuth\":${Math.toRadians(it.toDouble())}" },
            elevationDegrees?.let { "\"elevation\":${Math.toRadians(it.toDouble())}" },
        ).joinToString("") { ",$it" }
        send(String.format(Locale.ROOT, """{"range":{"t":%d,"peer":"%s","range":%s%s}}""", nanoseconds, peer, metres, angles))
    }

    private companion object {
        const val IDENTITY = "[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]"
    }
}

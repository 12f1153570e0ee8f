/// Scripts that other pages share.
package enum PageScripts {
  /// Drawing: SVG elements, scales, ticks; independent of runs and peers.
  package static var plot: [UInt8] { PackageResources.plot_js }
}

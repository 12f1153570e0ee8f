/// What is remembered of a peer between two updates, so that they do not chatter.
struct PeerPresenter {
  var vertical: VerticalJudge

  init(_ configuration: FinderConfiguration) {
    vertical = VerticalJudge(decide: configuration.verticalDecision, drop: configuration.verticalDrop)
  }
}

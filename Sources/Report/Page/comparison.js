// Several runs: what changed, and the statuses of all of them over time, one below the other.

/** What changed between two runs: the summary, and the rest folded up. */
function fillChanges(parent, changes) {
  parent.hidden = changes.length === 0;
  if (changes.length === 0) return;
  const [summary, ...rest] = changes;
  element(parent, "h2", {class: summary.startsWith("the same") ? "same" : "different"}, summary);
  if (rest.length === 0) return;
  const fold = element(parent, "details", {});
  element(fold, "summary", {}, "What changed, value by value");
  element(fold, "pre", {tabindex: 0}, rest.join("\n"));
}

/** A row a run and peer. `name(span)` is a status's words and colour; `choose(run, peer)` selects one. */
function drawComparison(parent, runs, name, choose) {
  parent.replaceChildren();
  parent.hidden = runs.length < 2;
  if (runs.length < 2) return;
  const rows = runs.flatMap((run, r) => run.peers.map((peer, p) => ({run, peer, r, p})));
  const most = Math.max(...runs.map(run => run.span[1]), 1e-3), least = Math.min(...runs.map(run => run.span[0]));
  const step = 40, height = Math.max(1, rows.length) * step + 18;
  const panel = timePanel(parent, {
    title: "All runs", note: "each over its own time; green: converged", height, span: [least, most],
    axis: {low: 0, high: 1, ticks: [], text: String},
    draw: plot => rows.forEach(({run, peer, r, p}, index) => {
      const y = index * step, at = seconds => plot.x(clamp(seconds, least, most));
      const words = [run.name, run.peers.length > 1 ? peer.id : "", peer.words];
      const row = shape(plot.svg, "g", {class: "choice"});
      shape(row, "text", {class: "name", x: 4, y: y + 13}, words.filter(Boolean).join(" · "));
      shape(row, "rect", {class: "ground", x: 4, y: y + 18, width: pixel(plot.right - 4), height: 15});
      for (const one of peer.series.spans) {
        const {from, to} = one, [text, kind] = name(one);
        const [x0, x1] = [at(from), at(to)];
        const band = shape(row, "g", {class: "band"});
        shape(band, "rect", {x: pixel(x0), y: y + 18, width: pixel(Math.max(0.6, x1 - x0)), height: 15, style: `fill: var(--${kind})`});
        if (x1 - x0 > 6.6 * text.length + 8) shape(band, "text", {x: pixel((x0 + x1) / 2), y: y + 29, "text-anchor": "middle"}, text);
        shape(band, "title", {}, `${from.toFixed(1)} to ${to.toFixed(1)} s: ${text}`);
      }
      row.addEventListener("click", () => choose(r, p));
    }),
  });
  panel.show(least);
  // Runs have times of their own: one cursor would belong to none.
  parent.querySelector(".cursor").remove();
}

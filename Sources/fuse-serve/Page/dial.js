// The dial: a ring with the parts where the peer may be, an arrow, or the mark of arrival.

const onRing = (angle, radius) => [radius * Math.sin(angle), -radius * Math.cos(angle)];
/** An arc from one angle clockwise to another. */
const arc = (low, high, radius) => {
  const [x0, y0] = onRing(low, radius), [x1, y1] = onRing(high, radius);
  return `M${pixel(x0)} ${pixel(y0)}A${radius} ${radius} 0 ${high - low > Math.PI ? 1 : 0} 1 ${pixel(x1)} ${pixel(y1)}`;
};
const almostRound = 2 * Math.PI - 0.01;

/** Draws a sight into `parent`. `turned` is the arrow's angle of the drawing before, undefined without one; returns this one's. */
function drawDial(parent, seen, turned) {
  const svg = shape(null, "svg", {viewBox: "-170 -170 340 340", role: "img", "aria-label": dialWords(seen)});
  shape(svg, "circle", {class: "rim", r: 134});
  for (let k = 0; k < 24; k++) {
    const [x0, y0] = onRing(k * Math.PI / 12, k % 6 ? 130 : 124), [x1, y1] = onRing(k * Math.PI / 12, 134);
    shape(svg, "line", {class: "tick", x1: pixel(x0), y1: pixel(y0), x2: pixel(x1), y2: pixel(y1)});
  }
  for (const [text, place] of [["ahead", "translate(0 -146)"], ["right", "translate(146 0) rotate(90)"], ["behind", "translate(0 156)"], ["left", "translate(-146 0) rotate(-90)"]]) shape(svg, "text", {class: "quarter", transform: place}, text);
  let now;
  if (seen.kind === "here") {
    shape(svg, "circle", {class: "wave", r: 118});
    shape(svg, "circle", {class: "goal", r: 92});
    shape(svg, "path", {class: "check", d: "M-42 4L-12 36L46 -34"});
  } else if (seen.arrow) {
    const {angle, low, high} = seen.arrow;
    shape(svg, "path", {class: "fan", d: `${arc(low, low + Math.min(high - low, almostRound), 132)}L0 0Z`});
    // Kept between drawings, so that it turns rather than jumps; the shorter way round.
    const before = turned ?? angle;
    now = before + Math.atan2(Math.sin(angle - before), Math.cos(angle - before));
    const turn = shape(svg, "g", {class: "turn", id: "arrow", "data-angle": angle});
    shape(turn, "path", {class: "arrow", d: "M0 -116L62 -26L24 -36L24 84L-24 84L-24 -36L-62 -26Z"});
    turn.style.transform = `rotate(${degrees(before)}deg)`;
    requestAnimationFrame(() => { turn.style.transform = `rotate(${degrees(now)}deg)`; });
  } else if (seen.parts.length) {
    for (const part of seen.parts.slice().reverse()) {
      // The wider, the fainter: all round says little.
      const opacity = clamp(0.2 + 0.8 * part.share * Math.min(1.5 / part.width, 1), 0.2, 1).toFixed(2);
      if (part.width > almostRound) shape(svg, "circle", {class: "mode", r: 112, "stroke-opacity": opacity});
      else shape(svg, "path", {class: "mode", d: arc(part.from, part.to, 112), "stroke-opacity": opacity});
    }
    for (const part of seen.parts.filter(part => part.share >= 0.08 && part.width <= tooWide)) {
      const [x, y] = onRing(part.angle, 58);
      shape(svg, "text", {class: "share", x: pixel(x), y: pixel(y)}, `${Math.round(100 * part.share)} %`);
    }
    shape(svg, "circle", {class: "hub", r: 5});
  } else if (seen.kind === "waiting") for (const x of [-34, 0, 34]) shape(svg, "circle", {class: "wait", cx: x, r: 9});
  else shape(svg, "text", {class: "unknown"}, "?");
  parent.replaceChildren(svg);
  return now;
}

function dialWords(seen) {
  if (seen.kind === "here") return "The peer is within reach";
  if (seen.arrow) return `${seen.age !== "fresh" ? "Old arrow" : seen.kind === "unsure" ? "Unsure arrow" : "Arrow"}: ${Math.round(degrees(seen.arrow.angle))} degrees, positive right`;
  if (seen.parts.length) return "Possible directions: " + seen.parts.slice(0, 4).map(part => `${part.width > tooWide ? "most of the circle" : sideWords(side(part.angle, part.width))}, ${Math.round(100 * part.share)} percent`).join("; ");
  return "No direction known";
}

/** A small arrow in a chip; dashed where it is not sure, a question mark without an angle. */
function drawNeedle(parent, {angle, isSure}) {
  const svg = shape(parent, "svg", {viewBox: "-12 -12 24 24", class: isSure ? "needle known" : "needle", "aria-hidden": "true"});
  if (angle === null) shape(svg, "text", {y: 6}, "?");
  else shape(svg, "path", {d: "M0 -10L7 8L0 4L-7 8Z", transform: `rotate(${pixel(degrees(angle))})`});
}

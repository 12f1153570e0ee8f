// The map and the timeline: what is behind the arrow.

const mapWidth = 480, mapHeight = 400;
/** Metres from the middle to the upper edge: few steps, so that the map does not swell with every metre. */
const reaches = [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 1000];

/**
 * The azimuth of straight ahead in the world, radians, or null: as the service tells it, else from a peer of which both place and angle are known.
 */
function heading(told, peers, here) {
  if (told != null) return told;
  if (!here) return null;
  for (const {update} of peers) {
    if (!update?.worldTransform || update.horizontalAngle === null) continue;
    const [x, y] = [update.worldTransform[3] - here[0], update.worldTransform[7] - here[1]];
    if (Math.hypot(x, y) > 0.5) return Math.atan2(y, x) + update.horizontalAngle;
  }
  return null;
}

/**
 * The peers about the device, metres, x right, y ahead: {name, at: [x, y] or null, radius, guesses: [{at, share}], update}.
 *
 * With an angle a peer stands where the arrow points, with a place at its horizontal distance. Without an angle it is on a circle.
 */
function surroundings(peers, here, ahead) {
  const about = ([x, y]) => {
    const turn = Math.PI / 2 - (ahead ?? Math.PI / 2), [dx, dy] = [x - (here?.[0] ?? 0), y - (here?.[1] ?? 0)];
    return [dx * Math.cos(turn) - dy * Math.sin(turn), dx * Math.sin(turn) + dy * Math.cos(turn)];
  };
  const polar = (angle, radius) => [radius * Math.sin(angle), radius * Math.cos(angle)];
  const found = [];
  for (const one of peers) {
    const update = one.update;
    if (!update || update.distance == null) continue;
    const world = update.worldTransform && here ? about([update.worldTransform[3], update.worldTransform[7]]) : null;
    const radius = world ? Math.hypot(...world) : update.distance;
    const at = update.horizontalAngle !== null && ahead !== null ? polar(update.horizontalAngle, radius) : world;
    const guesses = at || ahead === null ? [] : one.modes.map(mode => ({at: polar(mode.angle, mode.distance * Math.cos(mode.elevation)), share: mode.probability}));
    found.push({name: one.name, at, radius, guesses, update});
  }
  return {found, about};
}

/** The map, turned as the dial: up is ahead, the device in the middle. World-up, and said so, where the heading is not known. */
function drawMap(parent, caption, {path, peers, chosen, told, isFresh}) {
  const here = path.at(-1) ?? null, ahead = heading(told, peers, here), {found, about} = surroundings(peers, here, ahead);
  const svg = shape(null, "svg", {viewBox: `0 0 ${mapWidth} ${mapHeight}`, role: "img", class: isFresh ? "" : "old"});
  const far = Math.max(...found.map(peer => peer.at ? Math.hypot(...peer.at) : peer.radius), 0);
  const least = 1.12 * (far || path.reduce((most, point) => Math.max(most, Math.hypot(...about(point))), 0));
  const reach = reaches.find(value => value >= least) ?? least, unit = mapHeight / 2 / reach, step = niceStep(reach, 3);
  const to = ([x, y]) => [mapWidth / 2 + x * unit, mapHeight / 2 - y * unit];
  for (let k = 1; k * step <= reach * 1.5; k++) {
    shape(svg, "circle", {class: "grid", cx: mapWidth / 2, cy: mapHeight / 2, r: pixel(k * step * unit)});
    if (k * step <= reach) shape(svg, "text", {class: "metres", x: mapWidth / 2 + 4, y: pixel(mapHeight / 2 + k * step * unit - 4)}, `${k * step} m`);
  }
  if (path.length) {
    shape(svg, "path", {class: "path", d: strokes(path.map(point => to(about(point))))});
    const [x, y] = to(about(path[0]));
    shape(svg, "circle", {class: "begin", cx: pixel(x), cy: pixel(y), r: 4});
  }
  // Where the world's x axis points: the same mark however the device turns.
  const axis = Math.PI / 2 - (ahead === null ? Math.PI / 2 : ahead), [ax, ay] = [mapWidth / 2 + 184 * Math.cos(axis), mapHeight / 2 - 184 * Math.sin(axis)];
  const mark = shape(svg, "g", {class: "axis", transform: `translate(${pixel(ax)} ${pixel(ay)})`});
  shape(mark, "path", {d: "M0 -9L6 7L-6 7Z", transform: `rotate(${pixel(90 - degrees(axis))})`});
  shape(mark, "text", {y: ay < mapHeight / 2 ? 22 : -12}, "x");
  // The chosen one last, over the others.
  for (const peer of found.sort((a, b) => (a.name === chosen) - (b.name === chosen))) {
    const isChosen = peer.name === chosen, group = shape(svg, "g", {class: isChosen ? "peer chosen" : "peer"});
    for (const guess of peer.guesses) { const [x, y] = to(guess.at); shape(group, "circle", {class: "guess", cx: pixel(x), cy: pixel(y), r: pixel(5 + 10 * guess.share), "fill-opacity": (0.2 + 0.6 * guess.share).toFixed(2)}); }
    if (!peer.at) {
      shape(group, "circle", {class: "orbit", cx: mapWidth / 2, cy: mapHeight / 2, r: pixel(peer.radius * unit)});
      if (!isChosen) shape(group, "text", {x: mapWidth / 2, y: pixel(mapHeight / 2 - peer.radius * unit - 6)}, short(peer.name));
      continue;
    }
    const [x, y] = to(peer.at), c = peer.update.positionCovariance;
    if (c && ahead !== null) {
      // The axes of the 90 % ellipse of the horizontal part.
      const mean = (c[0] + c[4]) / 2, spread = Math.hypot((c[0] - c[4]) / 2, c[1]), turn = Math.atan2(2 * c[1], c[0] - c[4]) / 2 + Math.PI / 2 - ahead;
      shape(group, "ellipse", {class: "ellipse", rx: pixel(2.146 * Math.sqrt(Math.max(mean + spread, 0)) * unit), ry: pixel(2.146 * Math.sqrt(Math.max(mean - spread, 0)) * unit), transform: `translate(${pixel(x)} ${pixel(y)}) rotate(${pixel(-degrees(turn))})`});
    }
    shape(group, "circle", {class: "place", cx: pixel(x), cy: pixel(y), r: isChosen ? 8 : 6});
    shape(group, "text", {x: pixel(clamp(x, 60, mapWidth - 60)), y: pixel(y < 30 ? y + 26 : y - 13)}, short(peer.name));
  }
  // The device, pointing up; without a heading only a dot.
  shape(svg, ahead === null ? "circle" : "path", ahead === null ? {class: "device", cx: mapWidth / 2, cy: mapHeight / 2, r: 6} : {class: "device", d: `M${mapWidth / 2} ${mapHeight / 2 - 13}l9 21l-9 -5l-9 5Z`});
  svg.setAttribute("aria-label", `Map ${ahead === null ? "with the world's x axis to the right" : "turned as the dial"}: ` + (found.map(peer => `${peer.name} ${peer.at ? "at" : "on a circle of"} ${peer.radius.toFixed(1)} metres`).join(", ") || "no peer yet"));
  caption.textContent = ahead === null ? "· heading not known; x: the world's axis" : "· up is ahead; x: the world's axis";
  parent.replaceChildren(svg);
}

/** A name that fits. */
const short = name => name.length > 14 ? name.slice(0, 13) + "…" : name;

/** What was missing, when; of one peer. `spans` are {from, to, status, reasons, guidance, wrong}, seconds; `remedies`: {sentence, remedy} of what is refuted, come first. */
function drawTimeline(parent, list, spans, remedies) {
  const svg = shape(null, "svg", {viewBox: "0 0 480 36", role: "img", "aria-label": "Timeline of the status"});
  if (spans.length) {
    const x = scale(spans[0].from, Math.max(spans.at(-1).to, spans[0].from + 1), 0, 480);
    for (const [index, span] of spans.entries()) {
      const end = spans[index + 1]?.from ?? span.to;
      const bar = shape(svg, "rect", {class: span.wrong.length ? "wrong" : span.status === "unknown" ? "noStatus" : span.status, x: pixel(x(span.from)), width: pixel(Math.max(x(end) - x(span.from), 0.5)), y: 4, height: 28, "fill-opacity": span.status === "notConverged" ? clamp(0.9 - 0.2 * span.reasons.length, 0.3, 0.9) : 1});
      shape(bar, "title", {}, `${span.from.toFixed(1)} s: ${span.status} ${lacking(span.reasons)}`);
    }
  }
  parent.replaceChildren(svg);
  list.replaceChildren();
  for (const {sentence, remedy} of remedies) element(list, "li", {class: "remedy"}, `${sentence} ${capital(remedy)}.`.replace(/\.\.$/, "."));
  for (const span of spans.slice(-40).reverse()) {
    const item = element(list, "li");
    element(item, "time", {}, span.from.toFixed(1) + " s");
    item.append(span.wrong.length ? "set-up broken: " + span.wrong.join(", ") : span.status === "converged" ? "found" : span.status === "unknown" ? "nothing to judge yet" : "needs " + (lacking(span.reasons) || "a moment"));
    if (span.guidance) item.append(" – " + span.guidance);
  }
}

// The page of one run, or of one of several: peers, figures, plans, phone, panels, all at one selected time.

const {runs, changes} = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
let data, span;
const state = {run: 0, peer: 0, moment: 0, drawn: [], playing: null};
/** An estimate without a newer update for this long is stale, seconds. */
const staleAfter = 1;

const word = (column, i) => column.at[i] === null || column.at[i] === undefined ? null : column.words[column.at[i]];
const peerColour = index => `var(--peer${index % 6})`;
const sideWords = anyAngle => {
  const angle = ((anyAngle + 180) % 360 + 360) % 360 - 180;
  const degrees = Math.round(Math.abs(angle));
  return degrees === 0 ? "ahead" : degrees === 180 ? "behind" : `${degrees}° ${angle < 0 ? "left" : "right"}`;
};
const levelWords = {same: "on your level", above: "above you", below: "below you", aboveOrBelow: "above or below you"};
const statuses = {
  converged: ["converged", "converged"], unknown: ["no status yet", "unknown"],
  insufficientMovement: ["move around", "movement"], insufficientHorizontalSweep: ["side to side", "sideways"],
  insufficientVerticalSweep: ["up and down", "upDown"], insufficientLighting: ["more light", "light"],
  insufficientSignalStrength: ["weak signal", "signal"],
};
/** What the phone's sentences ask for, in the words of the strip. */
const asked = {
  "Move around a little.": "insufficientMovement", "Move your phone from side to side.": "insufficientHorizontalSweep",
  "Move your phone up and down.": "insufficientVerticalSweep", "More light is needed: turn on a light or uncover the camera.": "insufficientLighting",
  "The signal is weak: move closer, with nothing in between.": "insufficientSignalStrength",
};
/** The words of a span of one status, and its colour: what the phone asks for, not another of the reasons that are open. */
function statusOf({words: [status, reason], asks, refuted}) {
  if (refuted) return ["set-up broken", "broken"];
  const kind = asked[asks] ?? reason ?? status, [text, colour] = statuses[kind] ?? [kind, "unknown"];
  // A cause of its own, such as a covered lens, is said as the phone says it.
  return [asks && !asked[asks] ? asks.replace(/\.$/, "").replace(/^./, letter => letter.toLowerCase()) : text, colour];
}
const spaced = code => code.replace(/[A-Z]/g, letter => " " + letter.toLowerCase());

// ---- fixed parts

/** Makes a run the current one, at its end. */
function takeRun(index) {
  state.run = index;
  data = runs[index];
  span = data.span[1] > data.span[0] ? data.span : [data.span[0], data.span[0] + 1];
  Object.assign(state, {peer: 0, moment: span[1]});
  Object.assign($("time"), {min: span[0], max: span[1], step: 0.01});
  document.querySelector(".scrubber").hidden = data.span[1] <= data.span[0];
  fillFrame();
  document.querySelectorAll("#runs button").forEach((button, i) => button.setAttribute("aria-current", String(i === index)));
}

/** What a badge looks like: its class and its mark, which tells without colour. */
const looks = {broken: ["broken", "✕"], bad: ["bad", "!"], doubt: ["doubt", "?"], good: ["good", "✓"], open: ["open", "…"]};
const kindOf = peer => peer.setUp === "broken" ? "broken" : peer.honesty === "over-confident" ? "bad" : peer.setUp === "doubtful" ? "doubt" : peer.finding === "found" ? "good" : "open";

/** A peer's verdict as a badge: red where its set-up is broken or its uncertainty fails against truth, green where it was found and holds. */
function badge(parent, peer) {
  const [kind, mark] = looks[kindOf(peer)];
  const title = peer.causes.join("; ") || (peer.honesty === "unknown" ? "not both, angle and distance, can be compared with a truth" : "its 90 % intervals of angle and distance hold the truth");
  const node = element(parent, "span", {class: `badge ${kind}`, title});
  element(node, "i", {"aria-hidden": true}, mark + " ");
  element(node, "span", {}, peer.words.replaceAll(", ", " · "));
  return node;
}

/** Several runs: a row each, in the order of the page, the worst first. */
function fillRuns() {
  $("runs").hidden = $("overview").hidden = runs.length < 2;
  if (runs.length < 2) return;
  $("overview").textContent = changes.length ? "Before and after, the worse first" : `${runs.length} runs, the worst first`;
  $("title").setAttribute("aria-level", 2);
  runs.forEach((run, index) => {
    const button = element($("runs"), "button", {type: "button"});
    element(button, "b", {}, run.name);
    if (run.peers.length === 0) element(button, "span", {class: `badge ${run.verdict?.state === "broken" ? "broken" : "open"}`}, run.verdict?.state === "broken" ? "set-up broken · no peer" : "no peer");
    for (const peer of run.peers) {
      const row = element(button, "span", {class: "row"});
      badge(row, peer);
      row.append(peer.id);
      const figures = peer.facts.filter(fact => ["angle coverage", "distance coverage", "angle error"].includes(fact.name));
      const said = peer.setUp === "healthy" ? figures.map(fact => `${fact.name} ${fact.value}`) : peer.causes.slice(0, 1);
      element(row, "small", {}, said.join(", "));
    }
    button.addEventListener("click", () => { stop(); takeRun(index); choosePeer(0); });
  });
}

function fillFrame() {
  // Among several a run is told by its name; most titles end with it.
  const isNamed = data.title?.split(/[\s:]+/).at(-1) === data.name;
  $("title").textContent = runs.length > 1 && !isNamed ? [data.name, data.title].filter(Boolean).join(" \u00b7 ") : data.title ?? data.name;
  for (const id of ["notes", "peers", "configuration", "inputs", "counts"]) $(id).replaceChildren();
  for (const note of data.notes) element($("notes"), "li", {}, note);
  for (const name of ["configuration", "inputs", "counts"]) {
    $(name).parentElement.hidden = data[name].length === 0;
    for (const [key, value] of data[name]) {
      const row = element($(name), "tr");
      element(row, "td", {}, key);
      element(row, "td", {}, value);
    }
  }
  $("version").textContent = `fuse ${data.version}`;
  // What concerns no peer that was heard.
  $("verdict").hidden = data.peers.length > 0 || !data.line;
  $("verdict").textContent = data.line ?? "";
  // Of many each is a mark and a name; what there is to say is said of the chosen one.
  const isMany = data.peers.length > 2;
  $("peers").classList.toggle("many", isMany);
  $("headline").hidden = !isMany;
  data.peers.forEach((peer, index) => {
    const tab = element($("peers"), "button", {type: "button", role: "tab", id: `tab${index}`, style: `--peer: ${peerColour(index)}`});
    badge(tab, peer);
    element(tab, "b", {}, peer.id);
    if (!isMany) tell(tab, peer);
    tab.addEventListener("click", () => choosePeer(index));
    tab.addEventListener("keydown", event => {
      const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
      if (!step || data.peers.length < 2) return;
      event.preventDefault();
      event.stopPropagation();
      choosePeer((index + step + data.peers.length) % data.peers.length);
      $(`tab${state.peer}`).focus();
    });
  });
}

/** What there is to say of a peer, behind its name. */
function tell(parent, peer) {
  parent.append(`: ${peer.headline}`);
  // A headline has the cause of a broken set-up already.
  const rest = peer.setUp === "broken" ? peer.causes.slice(1) : peer.causes;
  if (rest.length) element(parent, "span", {class: "faults"}, rest.join("; "));
}

// ---- one peer

function choosePeer(index) {
  state.peer = index;
  const peer = data.peers[index];
  if (peer && !$("headline").hidden) {
    $("headline").style.setProperty("--peer", peerColour(index));
    $("headline").replaceChildren();
    badge($("headline"), peer);
    element($("headline"), "b", {}, peer.id);
    tell($("headline"), peer);
  }
  data.peers.forEach((_, i) => {
    $(`tab${i}`).setAttribute("aria-selected", String(i === index));
    $(`tab${i}`).tabIndex = i === index ? 0 : -1;
  });
  draw();
  remember();
}

/** Redraws everything for this peer and this width. */
function draw() {
  const peer = data.peers[state.peer];
  for (const id of ["facts", "top", "side", "panels", "phone", "legend"]) $(id).replaceChildren();
  for (const fact of peer?.facts ?? []) {
    const node = element($("facts"), "div", {class: fact.bad ? "fact bad" : "fact", tabindex: 0});
    const whose = data.peers.length < 2 || fact.isDevices ? "" : ` of ${peer.id}`;
    element(node, "span", {class: "name"}, fact.name + whose);
    element(node, "b", {}, fact.value);
    element(node, "span", {}, fact.note);
    element(node, "span", {class: "help", role: "tooltip"}, fact.help);
  }
  const panels = peer ? drawPanels(peer) : [];
  for (const panel of panels) listen(panel);
  const camera = drawCamera($("camera"), data.camera, moment => { stop(); setMoment(moment); remember(); });
  state.drawn = [...drawPlans(), ...panels, drawPhone(), ...(camera ? [camera] : [])];
  drawComparison($("comparison"), runs, statusOf, (run, peer) => { stop(); takeRun(run); choosePeer(peer); });
  for (const figure of document.querySelectorAll(".plans figure, .card figure")) offerExport(figure);
  show(state.moment);
}

function drawPlans() {
  const path = data.path;
  const around = {x: [], y: [], z: []};
  for (const axis of ["x", "y", "z"]) {
    for (const list of [path[axis], path.truth?.[axis] ?? [], ...data.peers.flatMap(p => [p.series.updates[axis], p.series.truth?.[axis] ?? []])]) {
      for (const value of list) if (value !== null) around[axis].push(value);
    }
  }
  // So are the places where the selected peer may have been, and the ring of its distance that the page opens with.
  const chosen = data.peers[state.peer];
  if (chosen && chosen.setUp !== "broken") {
    for (const place of chosen.series.posterior?.places.flat() ?? []) {
      if (place[0] >= 5) ["x", "y", "z"].forEach((axis, k) => around[axis].push(place[1 + k]));
    }
    const {t, distance, status} = chosen.series.updates, last = t.length - 1, own = latest(path.t, t[last]);
    if (own >= 0 && distance[last] !== null && word(status, last) !== "converged") {
      for (const axis of ["x", "y"]) around[axis].push(path[axis][own] - distance[last], path[axis][own] + distance[last]);
    }
  }
  // The last known region of each peer is shown whole.
  for (const {updates} of data.peers.map(peer => peer.series)) {
    const last = updates.x.findLastIndex(value => value !== null);
    if (last < 0 || updates.top.a[last] === null) continue;
    for (const [axis, reach] of [["x", updates.top.a[last]], ["y", updates.top.a[last]], ["z", updates.ahead.a[last]]]) {
      around[axis].push(updates[axis][last] - reach, updates[axis][last] + reach);
    }
  }
  document.querySelector(".plans").hidden = around.x.length === 0;
  if (around.x.length === 0) return [];
  const extent = axis => [quantile(around[axis], 0), quantile(around[axis], 1)];
  const length = axis => extent(axis)[1] - extent(axis)[0];
  // The side view looks across the longer extent.
  const across = length("y") >= length("x") ? "y" : "x";
  const words = data.headingIsKnown ? {x: "right of the start heading", y: "the start heading"} : {x: "the world's x axis", y: "the world's y axis"};
  $("top-note").textContent = `up is ${words.y}`;
  $("side-note").textContent = `to the right is ${words[across]}, up is up`;
  drawLegend();
  return [
    drawPlan($("top"), {h: "x", v: "y", ellipse: "top", extent, heights: [220, innerWidth > 760 ? 440 : 300]}),
    drawPlan($("side"), {h: across, v: "z", ellipse: across === "y" ? "ahead" : "right", extent, heights: [120, innerWidth > 760 ? 260 : 220]}),
  ];
}

function drawLegend() {
  const hasTruth = Boolean(data.path.truth || data.peers[state.peer]?.series.truth);
  const rejected = data.peers[state.peer]?.series.ranges.x.some(value => value !== null);
  const entry = (text, fill) => {
    const node = element($("legend"), "li");
    const svg = shape(node, "svg", {width: 26, height: 12});
    fill(svg);
    node.append(text);
  };
  if (data.path.t.length) entry("path of the device, early to late", svg => {
    for (let k = 0; k < 6; k++) shape(svg, "line", {x1: 1 + 4 * k, x2: 5 + 4 * k, y1: 6, y2: 6, "stroke-width": 3, style: `stroke: ${byTime(k / 5)}`});
  });
  if (data.peers[state.peer]?.series.updates.x.some(value => value !== null)) entry("peer and its 90 % region", svg => {
    shape(svg, "ellipse", {cx: 13, cy: 6, rx: 12, ry: 5, style: `fill: ${peerColour(state.peer)}`, "fill-opacity": 0.25});
    shape(svg, "circle", {cx: 13, cy: 6, r: 3, style: `fill: ${peerColour(state.peer)}`});
  });
  if (data.peers[state.peer]?.series.posterior) entry("it may be there, with this probability", svg => {
    shape(svg, "path", {class: "place", d: "M3 10A14 14 0 0 1 23 10", style: `stroke: ${peerColour(state.peer)}`});
  });
  if (data.peers[state.peer]) entry("only the distance is known; dashed: not converged", svg => {
    shape(svg, "circle", {class: "ring", cx: 13, cy: 6, r: 5, style: `stroke: ${peerColour(state.peer)}`});
  });
  if (hasTruth) entry("truth", svg => {
    shape(svg, "line", {class: "truth", x1: 0, x2: 14, y1: 6, y2: 6});
    shape(svg, "path", {class: "cross", d: crosses([[20, 6]], 4)});
  });
  if (rejected) entry("range rejected here", svg => shape(svg, "path", {d: crosses([[13, 6]], 3), style: "stroke: var(--bad)", "stroke-width": 1.5}));
}

const byTime = fraction => `color-mix(in oklab, var(--early), var(--late) ${Math.round(100 * fraction)}%)`;

/** One plan with equal axes. `h` and `v` name the columns that go right and up. */
function drawPlan(parent, {h, v, ellipse, extent, heights}) {
  const [[h0, h1], [v0, v1]] = [extent(h), extent(v)];
  // Room for the heading's fan, a place's bar and a label beyond the outermost point.
  const width = Math.max(240, parent.clientWidth), margin = 48;
  const [dh, dv] = [Math.max(h1 - h0, 0.5), Math.max(v1 - v0, 0.3)];
  const height = Math.round(clamp((width - 2 * margin) * dv / dh + 2 * margin, ...heights));
  const zoom = Math.min((width - 2 * margin) / dh, (height - 2 * margin) / dv);
  const px = value => width / 2 + (value - (h0 + h1) / 2) * zoom;
  const py = value => height / 2 - (value - (v0 + v1) / 2) * zoom;
  const at = (columns, i) => columns[h][i] === null || columns[h][i] === undefined ? null : [px(columns[h][i]), py(columns[v][i])];
  const all = columns => columns[h].map((_, i) => at(columns, i));
  const svg = shape(parent, "svg", {viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": "Plan"});

  const step = niceStep(width / zoom, 8);
  for (let k = Math.ceil((h0 + h1) / 2 / step - width / zoom / step); px(k * step) < width; k++) {
    shape(svg, "line", {class: "grid", x1: pixel(px(k * step)), x2: pixel(px(k * step)), y1: 0, y2: height});
  }
  for (let k = Math.ceil((v0 + v1) / 2 / step - height / zoom / step); py(k * step) > 0; k++) {
    shape(svg, "line", {class: "grid", y1: pixel(py(k * step)), y2: pixel(py(k * step)), x1: 0, x2: width});
  }
  const bar = niceStep(width / zoom, 9);
  shape(svg, "path", {d: `M12 ${height - 14}v4h${pixel(bar * zoom)}v-4`, fill: "none", style: "stroke: var(--soft)", "stroke-width": 1.3});
  shape(svg, "text", {x: pixel(12 + bar * zoom / 2), y: height - 15, "text-anchor": "middle"}, `${bar} m`);

  const names = new Labels(width, height);
  names.take([12, height - 32, 12 + bar * zoom, height - 6]);
  const path = data.path, points = all(path);
  if (path.truth) shape(svg, "path", {class: "truth", d: strokes(all(path.truth))});
  const pieces = [], past = [];
  const count = Math.min(60, Math.max(1, points.length - 1));
  for (let k = 0; k < count && points.length > 1; k++) {
    const [from, to] = [Math.floor(k * (points.length - 1) / count), Math.floor((k + 1) * (points.length - 1) / count)];
    pieces.push({t: path.t[from], node: shape(svg, "path", {
      d: strokes(points.slice(from, to + 1)), fill: "none", "stroke-width": 2.6, "stroke-linecap": "round", "stroke-linejoin": "round",
      style: `stroke: ${byTime(count > 1 ? k / (count - 1) : 1)}`})});
  }
  if (points.length) shape(svg, "circle", {cx: pixel(points[0][0]), cy: pixel(points[0][1]), r: 4, style: "fill: var(--card); stroke: var(--late)", "stroke-width": 1.6});

  data.peers.forEach((peer, index) => { if (index !== state.peer) drawOther(svg, peer, index, all, names); });
  const peer = data.peers[state.peer];
  const fill = `fill: ${peerColour(state.peer)}; stroke: ${peerColour(state.peer)}`;
  const outline = (i, attributes) => {
    const updates = peer.series.updates, form = updates[ellipse], centre = at(updates, i);
    if (!centre || form.a[i] === null) return null;
    return shape(svg, "ellipse", {rx: pixel(form.a[i] * zoom), ry: pixel(form.b[i] * zoom), style: fill,
      transform: `translate(${pixel(centre[0])} ${pixel(centre[1])}) rotate(${-form.rotation[i]})`, ...attributes});
  };
  if (peer) {
    const known = peer.series.updates[h].flatMap((value, i) => value === null ? [] : [i]);
    for (let k = 0; k < Math.min(6, known.length); k++) {
      const i = known[Math.floor(k * known.length / 6)];
      const node = outline(i, {"fill-opacity": 0, "stroke-opacity": 0.28, "stroke-width": 0.8});
      if (node) past.push({t: peer.series.updates.t[i], node});
    }
    shape(svg, "path", {d: strokes(all(peer.series.updates)), fill: "none", style: `stroke: ${peerColour(state.peer)}`, "stroke-opacity": 0.45, "stroke-width": 1});
    const rejected = all(peer.series.ranges).filter(Boolean);
    shape(svg, "path", {d: crosses(rejected, 3), style: "stroke: var(--bad)", "stroke-width": 1.5});
    const truth = peer.series.truth ? all(peer.series.truth) : [];
    if (truth.length > 1) shape(svg, "path", {class: "truth", d: strokes(truth)});
    if (truth.length) shape(svg, "path", {class: "cross", d: crosses([truth[truth.length - 1]], 5)});
  }
  names.mark();
  const moving = shape(svg, "g");
  return {show: moment => {
    for (const piece of pieces) piece.node.style.opacity = piece.t <= moment ? 1 : 0.22;
    // What was not known yet is not shown.
    for (const region of past) region.node.style.display = region.t <= moment ? "" : "none";
    moving.replaceChildren();
    names.rewind();
    const i = latest(path.t, moment);
    const device = i < 0 ? points[0] ?? null : points[i];
    if (peer) {
      const isNamed = showPlaces(moving, peer, moment, {device, zoom, px, py, h, v, names});
      showEstimate(moving, peer, moment, at, outline, fill, isNamed, names);
    }
    if (i < 0) return;
    const [x, y] = points[i];
    const body = shape(moving, "g", {transform: `translate(${pixel(x)} ${pixel(y)})`});
    if (v === "y" && path.heading[i] !== null) {
      shape(body, "path", {d: "M0 0L-19 -38A42.5 42.5 0 0 1 19 -38Z", transform: `rotate(${path.heading[i]})`, style: "fill: var(--late)", "fill-opacity": 0.25});
      shape(body, "path", {d: "M0 -10L7 7L0 3L-7 7Z", transform: `rotate(${path.heading[i]})`, style: "fill: var(--late); stroke: var(--card)", "stroke-width": 1.2});
    } else {
      shape(body, "circle", {r: 5, style: "fill: var(--late); stroke: var(--card)", "stroke-width": 1.5});
    }
  }};
}

/** A peer that is not selected: its last known position. */
function drawOther(svg, peer, index, all, names) {
  const positions = all(peer.series.updates).filter(Boolean);
  const truth = peer.series.truth ? all(peer.series.truth) : [];
  if (truth.length) shape(svg, "path", {class: "cross", d: crosses([truth[truth.length - 1]], 4), opacity: 0.35});
  const position = positions.length ? positions[positions.length - 1] : truth[truth.length - 1];
  if (!position) return;
  if (positions.length) shape(svg, "circle", {cx: pixel(position[0]), cy: pixel(position[1]), r: 4, style: `fill: ${peerColour(index)}`, opacity: 0.55});
  names.put(svg, position, peer.id, {});
}

/** Places labels of a drawing so that none is cut and none covers another. */
class Labels {
  constructor(width, height) { Object.assign(this, {width, height, taken: [], fixed: 0}); }
  /** Keeps a box free, [left, top, right, bottom]. */
  take(box) { this.taken.push(box); }
  /** What is placed so far stays; what follows is placed again each time. */
  mark() { this.fixed = this.taken.length; }
  rewind() { this.taken.length = this.fixed; }
  /** Beside a point; where that is taken, on another side of it or farther off. */
  put(parent, [x, y], text, attributes) {
    const long = 7 * String(text).length + 2, tall = 14;
    let best = null;
    for (const far of [9, 20, 32, 46]) {
      for (const [dx, dy] of [[1, -1], [1, 1], [-1, -1], [-1, 1], [0, -1], [0, 1]]) {
        const left = clamp(x + dx * far - (dx < 0 ? long : dx === 0 ? long / 2 : 0), 2, Math.max(this.width - long - 2, 2));
        const top = clamp(y + dy * (far - 3) - tall / 2, 2, this.height - tall - 2), box = [left, top, left + long, top + tall];
        const covered = this.taken.reduce((sum, other) => sum + Math.max(0, Math.min(box[2], other[2]) - Math.max(box[0], other[0]))
          * Math.max(0, Math.min(box[3], other[3]) - Math.max(box[1], other[1])), 0);
        if (best === null || covered < best.covered) best = {covered, box};
        if (covered === 0) break;
      }
      if (best.covered === 0) break;
    }
    this.take(best.box);
    return shape(parent, "text", {...attributes, x: pixel(best.box[0]), y: pixel(best.box[1] + 11)}, text);
  }
}

/** How far an estimate can be trusted: converged, open while it is not, stale without newer updates, none before the first. */
function trust(updates, i, moment) {
  if (i < 0) return "none";
  if (moment - updates.t[i] > staleAfter) return "stale";
  return word(updates.status, i) === "converged" ? "converged" : "open";
}

/** What is known before convergence: a ring of the distance, and the places that are left, each with its share. Whether the
    peer's name stands there. */
function showPlaces(parent, peer, moment, {device, zoom, px, py, h, v, names}) {
  const updates = peer.series.updates, i = latest(updates.t, moment);
  const kind = trust(updates, i, moment);
  // Nothing rests on a broken set-up, and its distance may be of any size.
  if (!device || peer.setUp === "broken" || kind === "none" || kind === "converged" || updates.distance[i] === null) return false;
  const [cx, cy] = device.map(pixel), isTop = v === "y";
  const style = `stroke: ${peerColour(state.peer)}`;
  if (isTop) shape(parent, "circle", {class: `ring ${kind}`, cx, cy, r: pixel(updates.distance[i] * zoom), style});
  const posterior = peer.series.posterior, k = posterior ? latest(posterior.t, moment) : -1;
  if (k < 0 || moment - posterior.t[k] > staleAfter) return false;
  const own = Math.max(latest(data.path.t, moment), 0), labels = [];
  const path3D = {x: data.path.x[own], y: data.path.y[own], z: data.path.z[own]};
  for (const [share, x, y, z, sideways, upwards] of posterior.places[k]) {
    const point = {x, y, z}, [ax, ay] = [px(point[h]) - device[0], py(point[v]) - device[1]];
    const radius = Math.hypot(ax, ay), middle = Math.atan2(ay, ax);
    // From the side a place is a bar from its lowest to its highest point: seen from there all are at the same azimuth.
    if (!isTop) {
      const reach = zoom * Math.hypot(x - path3D.x, y - path3D.y, z - path3D.z) * Math.sin(Math.min(upwards, 90) * Math.PI / 180);
      const [bx, by] = [device[0] + ax, device[1] + ay].map(pixel);
      shape(parent, "path", {class: `place ${kind}`, style, "stroke-opacity": 0.15 + 0.005 * share, d: `M${bx} ${pixel(by - reach)}V${pixel(by + reach)}`});
      continue;
    }
    const half = Math.min(sideways, 175) * Math.PI / 180;
    const end = sign => `${pixel(device[0] + radius * Math.cos(middle + sign * half))} ${pixel(device[1] + radius * Math.sin(middle + sign * half))}`;
    shape(parent, "path", {class: `place ${kind}`, style, "stroke-opacity": 0.25 + 0.007 * share,
      d: `M${end(-1)}A${pixel(radius)} ${pixel(radius)} 0 ${half > Math.PI / 2 ? 1 : 0} 1 ${end(1)}`});
    // Places that differ in height only share a label.
    const label = {share, x: device[0] + (radius + 16) * Math.cos(middle), y: device[1] + (radius + 16) * Math.sin(middle) + 4};
    const near = labels.find(other => Math.abs(other.x - label.x) < 40 && Math.abs(other.y - label.y) < 14);
    if (near) near.share += share; else labels.push(label);
  }
  // A single place needs no share: it has the peer's name.
  const isOnly = labels.length === 1 && labels[0].share >= 97;
  for (const {share, x, y} of labels) if (isOnly || share >= 3) names.put(parent, [x, y], isOnly ? peer.id : `${share} %`, {class: "read"});
  return isOnly;
}

/** The published position with its region; `isNamed`: the peer's name is there already. */
function showEstimate(parent, peer, moment, at, outline, fill, isNamed, names) {
  const i = latest(peer.series.updates.t, moment);
  const position = i < 0 ? null : at(peer.series.updates, i);
  const truth = peer.series.truth ? at(peer.series.truth, peer.series.truth.x.length - 1) : null;
  if (position) {
    const kind = trust(peer.series.updates, i, moment);
    const form = outline(i, {class: `region ${kind}`, "fill-opacity": kind === "converged" ? 0.2 : 0.05, "stroke-width": 1.6});
    if (form) parent.append(form);
    shape(parent, "circle", {class: `estimate ${kind}`, cx: pixel(position[0]), cy: pixel(position[1]), r: 5, style: fill});
  }
  const label = position ?? truth;
  if (label && !isNamed) names.put(parent, label, peer.id, {class: "read"});
}

// ---- the phone

function drawPhone() {
  const phone = element($("phone"), "div", {class: "screen", role: "img"});
  element(phone, "p", {class: "name"}, data.peers[state.peer]?.id ?? "no peer");
  const quality = element(phone, "p", {class: "quality"});
  const dial = shape(phone, "svg", {viewBox: "-100 -100 200 200"});
  for (let k = 0; k < 72; k++) {
    shape(dial, "line", {y1: -94, y2: k % 18 === 0 ? -82 : -89, transform: `rotate(${5 * k})`, class: k % 18 === 0 ? "mark strong" : "mark"});
  }
  const fan = shape(dial, "path", {class: "fan"});
  const arrow = shape(dial, "path", {class: "arrow", d: "M0 -66L40 0L14 -7L14 56L-14 56L-14 -7L-40 0Z"});
  // Not the phone's: where the truth is, on the rim.
  const truth = shape(dial, "path", {d: "M-6 -97L6 -85M6 -97L-6 -85"});
  const dots = shape(dial, "g", {class: "dots"});
  for (let k = 0; k < 3; k++) shape(dots, "circle", {cx: 26 * (k - 1), r: 6.5});
  const distance = element(phone, "p", {class: "distance", id: "phone-distance"});
  const side = element(phone, "p", {class: "side", id: "phone-side"});
  const level = element(phone, "p", {class: "level", id: "phone-level"});
  const guidance = element(phone, "p", {class: "guidance", id: "phone-guidance"});
  return {show: moment => {
    const updates = data.peers[state.peer]?.series.updates;
    const i = updates ? latest(updates.t, moment) : -1;
    const value = column => i < 0 ? null : updates[column][i];
    const angle = value("angle");
    const away = value("distance");
    distance.textContent = away === null ? "- m" : `${away.toFixed(away < 9.95 ? 1 : 0)} m`;
    side.textContent = angle === null ? (i < 0 ? "no ranges yet" : "no direction") : sideWords(angle);
    level.textContent = i < 0 ? "" : levelWords[word(updates.level, i)] ?? "";
    const refuted = i < 0 ? null : word(updates.refuted, i);
    const cause = refuted && data.verdict.findings.find(one => one.code === refuted && [null, data.peers[state.peer].id].includes(one.peer));
    guidance.textContent = i < 0 ? "" : cause ? cause.remedy : word(updates.guidance, i) ?? "";
    quality.textContent = i < 0 ? "" : {precise: "", drifting: "no usable ranges", imprecise: "distance only"}[word(updates.quality, i)] ?? "";
    const kind = updates ? trust(updates, i, moment) : "none";
    const isAhead = angle !== null && Math.abs(angle) < 8;
    phone.setAttribute("class", ["screen", kind, isAhead ? "ahead" : "", cause ? "broken" : ""].filter(Boolean).join(" "));
    if (kind === "stale") quality.textContent = `no news for ${(moment - updates.t[i]).toFixed(0)} s`;
    else if (cause) quality.textContent = `set-up broken: ${spaced(cause.code)}`;
    else if (kind === "open" && angle !== null) quality.textContent = "not sure yet";
    fan.style.display = arrow.style.display = angle === null ? "none" : "";
    dots.style.display = angle === null ? "" : "none";
    if (angle !== null) {
      arrow.setAttribute("transform", `rotate(${angle})`);
      const [low, high] = [angle + value("low"), angle + value("high")].map(degrees => degrees * Math.PI / 180);
      fan.setAttribute("d", `M0 0L${pixel(98 * Math.sin(low))} ${pixel(-98 * Math.cos(low))}A98 98 0 ${high - low > Math.PI ? 1 : 0} 1 `
        + `${pixel(98 * Math.sin(high))} ${pixel(-98 * Math.cos(high))}Z`);
    }
    phone.setAttribute("aria-label", `What the phone shows: ${[distance, side, level, guidance].map(n => n.textContent).filter(Boolean).join(", ")}`);
    const trueAngle = value("trueAngle");
    // Whether the interval that the phone draws holds the truth.
    const off = value("angleError");
    const isWrong = off !== null && (off + value("high") < 0 || off + value("low") > 0);
    $("phone-caption").textContent = `the phone at ${moment.toFixed(1)} s` + (trueAngle === null ? ""
      : `; truth (cross): ${value("trueDistance").toFixed(1)} m, ${sideWords(trueAngle)}, ${levelWords[word(updates.trueLevel, i)]}`
        + (isWrong ? `; the arrow is ${Math.abs(off).toFixed(1)}° off, more than it says` : ""));
    $("phone-caption").className = isWrong ? "wrong" : "";
    truth.setAttribute("class", isWrong ? "rim wrong" : "rim");
    truth.style.display = trueAngle === null ? "none" : "";
    truth.setAttribute("transform", `rotate(${trueAngle ?? 0})`);
  }};
}

// ---- over time

function drawPanels(peer) {
  const {series} = peer, {updates, ranges} = series;
  const colour = peerColour(state.peer);
  const line = (plot, times, values, attributes) => shape(plot.svg, "path", {
    fill: "none", "stroke-width": 1.7, "stroke-linejoin": "round", ...attributes,
    d: strokes(values.map((value, i) => value === null ? null : [plot.x(times[i]), plot.y(value)]))});
  const shade = (plot, times, low, high) => shape(plot.svg, "path", {
    style: `fill: ${colour}`, "fill-opacity": 0.22,
    d: area(high.map((v, i) => v === null ? null : [plot.x(times[i]), plot.y(v)]), low.map((v, i) => v === null ? null : [plot.x(times[i]), plot.y(v)]))});
  const row = (plot, y, style) => shape(plot.svg, "line", {class: style, x1: plot.left, x2: plot.right, y1: pixel(plot.y(y)), y2: pixel(plot.y(y))});
  const now = (moment, text) => { const i = latest(updates.t, moment); return i < 0 ? "" : text(i); };
  const plus = (a, b, k = 1) => a.map((v, i) => v === null || b[i] === null ? null : v + k * b[i]);
  const panel = (options) => timePanel($("panels"), {span, ...options});
  const panels = [];

  const bands = (plot, spans, y, height, name) => spans.forEach(one => {
    const {from, to} = one, [text, kind] = name(one);
    const [x0, x1] = [plot.x(from), plot.x(to)];
    const group = shape(plot.svg, "g", {class: "band"});
    shape(group, "rect", {x: pixel(x0), y, width: pixel(Math.max(0.6, x1 - x0)), height, style: `fill: var(--${kind})`});
    if (x1 - x0 > 6.6 * text.length + 8) shape(group, "text", {x: pixel((x0 + x1) / 2), y: y + height / 2 + 4, "text-anchor": "middle"}, text);
    shape(group, "title", {}, `${from.toFixed(1)} to ${to.toFixed(1)} s: ${text}`);
  });
  const statusText = (spans, moment, name) => {
    const found = spans.filter(item => item.from <= moment + 1e-6).pop();
    if (!found || found.to < moment - 0.2) return "";
    // What is asked for first, then the other reasons that are open.
    const [first] = name(found), open = found.words.slice(1).map(reason => statuses[reason]?.[0] ?? reason).filter(text => text !== first);
    return [found.words[0] === "notConverged" ? "not converged" : null, first, open.length ? `also open: ${open.join(", ")}` : null].filter(Boolean).join(", ");
  };
  const cameraHeight = series.camera.length ? 20 : 0;
  panels.push(panel({
    title: "Convergence", note: "", height: 30 + cameraHeight,
    draw: plot => {
      bands(plot, series.spans, 2, 24, statusOf);
      if (cameraHeight) {
        shape(plot.svg, "text", {x: plot.left - 7, y: 42, "text-anchor": "end"}, "camera");
        bands(plot, series.camera, 29, 17, ({words}) => [words[0], "light"]);
      }
    },
    read: moment => statusText(series.spans, moment, statusOf),
  }));

  const hasTruth = updates.angleError.some(value => value !== null);
  const angle = hasTruth ? updates.angleError : updates.angle;
  if (angle.some(value => value !== null)) {
    const [low, high] = [plus(angle, updates.low), plus(angle, updates.high)];
    const most = clamp(1.15 * Math.max(quantile(high.filter(v => v !== null).map(Math.abs), 0.99), quantile(low.filter(v => v !== null).map(Math.abs), 0.99)), 8, 180);
    const edges = hasTruth ? [-most, most] : [Math.max(-200, Math.min(...low.filter(v => v !== null)) - 3), Math.min(200, Math.max(...high.filter(v => v !== null)) + 3)];
    const broken = angle.map((v, i) => i > 0 && v !== null && angle[i - 1] !== null && Math.abs(v - angle[i - 1]) > 180 ? null : v);
    panels.push(panel({
      title: hasTruth ? "Angle error" : "Angle", note: "90 % interval shaded", height: 170,
      axis: {low: edges[0], high: edges[1], ticks: ticks(...edges, 5), text: v => `${v}°`},
      draw: plot => {
        shade(plot, updates.t, low, high);
        row(plot, 0, hasTruth ? "truth" : "zero");
        if (hasTruth) shape(plot.svg, "text", {x: plot.right - 4, y: pixel(plot.y(0)) - 4, "text-anchor": "end", class: "read"}, "truth");
        line(plot, updates.t, broken, {style: `stroke: ${colour}`});
      },
      read: moment => now(moment, i => updates.angle[i] === null ? "no angle published" : `${sideWords(updates.angle[i])} `
        + `(90 %: ${sideWords(updates.angle[i] + updates.low[i])} to ${sideWords(updates.angle[i] + updates.high[i])})`
        + (updates.angleError[i] === null ? "" : `, ${Math.abs(updates.angleError[i]).toFixed(1)}° too far ${updates.angleError[i] < 0 ? "left" : "right"}`)),
    }));
  }

  const [near, far] = [plus(updates.distance, updates.distanceStd, -1.645), plus(updates.distance, updates.distanceStd, 1.645)];
  const highest = 1.08 * Math.max(...far.filter(v => v !== null), ...updates.trueDistance, quantile(ranges.range, 0.97) ?? 0, 0.5);
  const use = ranges.t.map((_, i) => word(ranges.use, i));
  const dots = (plot, values, kind) => values.flatMap((value, i) => value !== null && (use[i] === "rejected") === (kind === "rejected") ? [[plot.x(ranges.t[i]), plot.y(value)]] : []);
  const scatter = (plot, values) => {
    shape(plot.svg, "path", {d: circles(dots(plot, values, "used"), 1.7), style: "fill: var(--soft)", "fill-opacity": 0.75});
    shape(plot.svg, "path", {d: circles(dots(plot, values, "rejected"), 3.2), fill: "none", style: "stroke: var(--bad)", "stroke-width": 1.4});
  };
  panels.push(panel({
    title: "Distance", note: "90 % interval shaded; dots are ranges as measured, hollow ones were rejected", height: 170,
    axis: {low: 0, high: highest, ticks: ticks(0, highest, 5), text: v => `${v} m`},
    draw: plot => {
      shade(plot, updates.t, near, far);
      scatter(plot, ranges.range);
      line(plot, updates.t, updates.distance, {style: `stroke: ${colour}`});
      line(plot, updates.t, updates.trueDistance, {class: "truth"});
    },
    read: moment => now(moment, i => updates.distance[i] === null ? "no distance" : `${updates.distance[i].toFixed(2)} m ± ${(1.645 * updates.distanceStd[i]).toFixed(2)} m`
      + (updates.trueDistance[i] === null ? "" : `, truth ${updates.trueDistance[i].toFixed(2)} m`)),
  }));

  if (ranges.innovation.some(value => value !== null)) {
    const most = clamp(Math.max(...ranges.innovation.map(v => Math.abs(v ?? 0))), 3, 6);
    panels.push(panel({
      title: "Range innovation", note: "measured minus predicted, in standard deviations; 90 % lie between the lines; hollow: rejected", height: 130,
      axis: {low: -most, high: most, ticks: ticks(-most, most, 4), text: v => `${v} σ`},
      draw: plot => {
        row(plot, 0, "zero");
        row(plot, 1.645, "limit");
        row(plot, -1.645, "limit");
        scatter(plot, ranges.innovation);
      },
    }));
  }
  drawErrors(series, colour, line, row, panel, panels);
  return panels;
}

/** Normalised errors on a logarithmic axis, those that there are. */
function drawErrors(series, colour, line, row, panel, panels) {
  const lines = [
    ["device's position", data.nees?.position, "stroke: var(--soft)"],
    ["device's attitude", data.nees?.attitude, "stroke: var(--soft); stroke-dasharray: 2 3"],
    ["peer's position", series.nees, `stroke: ${colour}`],
  ].filter(([, values]) => values);
  if (lines.length === 0) return;
  const top = clamp(Math.pow(10, Math.ceil(Math.log10(Math.max(...lines.flatMap(([, values]) => values.v.map(v => v ?? 1)), 1)))), 100, 1e5);
  const marks = [];
  for (let value = 0.01; value <= top * 1.01; value *= 10) marks.push(Number(value.toPrecision(1)));
  panels.push(panel({
    title: "NEES", note: "squared error normalised by the reported covariance; 99 % in the band when consistent", height: 160,
    axis: {low: 0.01, high: top, ticks: marks, text: String, log: true},
    draw: plot => {
      const [low, high] = data.neesBand;
      shape(plot.svg, "rect", {x: plot.left, width: plot.right - plot.left, y: pixel(plot.y(high)), height: pixel(plot.y(low) - plot.y(high)), style: "fill: var(--converged)", opacity: 0.45});
      lines.forEach(([, values, style]) => line(plot, values.t, values.v, {style, "stroke-width": 1.4}));
    },
    read: moment => lines.map(([name, values]) => {
      const i = latest(values.t, moment);
      return i < 0 || values.v[i] === null ? null : `${name} ${values.v[i]}`;
    }).filter(Boolean).join(", "),
  }));
  const legend = element($("panels"), "ul", {class: "legend"});
  for (const [name, , style] of lines) {
    const item = element(legend, "li");
    shape(shape(item, "svg", {width: 26, height: 12}), "line", {x1: 0, x2: 26, y1: 6, y2: 6, style, "stroke-width": 2});
    item.append(name);
  }
}

// ---- the selected time

function show(moment) {
  for (const part of state.drawn) part.show(moment);
  $("clock").textContent = `${moment.toFixed(1)} s`;
  $("time").value = moment;
}

/** Selects a time, not only while the pointer hovers. */
function setMoment(moment) {
  state.moment = clamp(moment, span[0], span[1]);
  show(state.moment);
}

/** Hovering shows a time, pressing selects it. */
function listen(panel) {
  panel.svg.addEventListener("pointermove", event => {
    const moment = panel.moment(event.clientX);
    if (event.buttons & 1) setMoment(moment); else if (!state.playing && event.pointerType === "mouse") show(moment);
  });
  panel.svg.addEventListener("pointerleave", () => { if (!state.playing) show(state.moment); });
  panel.svg.addEventListener("pointerdown", event => { stop(); setMoment(panel.moment(event.clientX)); });
  panel.svg.addEventListener("click", remember);
}

function play() {
  if (state.moment >= span[1] - 0.05) setMoment(span[0]);
  // Long recordings play in a minute.
  const speed = Math.max(1, (span[1] - span[0]) / 60);
  let before = null;
  const step = now => {
    if (!state.playing) return;
    if (before !== null) setMoment(state.moment + speed * (now - before) / 1000);
    before = now;
    if (state.moment >= span[1]) return stop();
    state.playing = requestAnimationFrame(step);
  };
  state.playing = requestAnimationFrame(step);
  $("play").innerHTML = "&#10073;&#10073;";
  $("play").setAttribute("aria-label", "Pause");
}

function stop() {
  if (!state.playing) return;
  cancelAnimationFrame(state.playing);
  state.playing = null;
  $("play").innerHTML = "&#9654;";
  $("play").setAttribute("aria-label", "Play");
  remember();
}

/** Stores time and peer in the address, so that it can be shared. */
function remember() {
  const words = new URLSearchParams({t: state.moment.toFixed(2)});
  if (runs.length > 1) words.set("run", state.run);
  if (data.peers.length) words.set("peer", data.peers[state.peer].id);
  history.replaceState(null, "", `#${words}`);
}

/** Restores time and peer from the address. */
function recall() {
  const words = new URLSearchParams(location.hash.slice(1));
  const run = Number(words.get("run") ?? 0);
  if (runs[run] && run !== state.run) takeRun(run);
  const peer = data.peers.findIndex(known => known.id === words.get("peer"));
  const moment = Number(words.get("t"));
  if (words.get("t") && Number.isFinite(moment)) state.moment = clamp(moment, span[0], span[1]);
  if (data.peers.length) choosePeer(Math.max(peer, 0)); else draw();
}

function begin() {
  document.querySelector("main").hidden = false;
  fillChanges($("changes"), changes);
  fillRuns();
  takeRun(0);
  recall();
  $("time").addEventListener("input", () => { stop(); setMoment(Number($("time").value)); });
  $("time").addEventListener("change", remember);
  $("play").addEventListener("click", () => state.playing ? stop() : play());
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const onControl = event.target.closest?.("button, summary");
    const step = event.shiftKey ? 1 : 0.1;
    const moves = {ArrowLeft: -step, ArrowRight: step, Home: -Infinity, End: Infinity};
    if (event.key in moves) { stop(); setMoment(state.moment + moves[event.key]); remember(); }
    else if (event.key === " " && !onControl) { if (state.playing) stop(); else play(); }
    else return;
    event.preventDefault();
  });
  addEventListener("hashchange", recall);
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; draw(); } });
  document.body.dataset.ready = "true";
}

addEventListener("error", event => { document.body.dataset.error = event.message; });
begin();

// The finding screen: one session's updates, as they come. Angles in radians, 0 ahead, positive right.

const $ = id => document.getElementById(id);
const state = {peers: new Map(), chosen: null, path: [], pathBytes: 0, source: null, lost: false, spokenAt: -3000, spoken: ""};
const degrees = angle => angle * 180 / Math.PI;
const words = {
  insufficientMovement: "more movement", insufficientHorizontalSweep: "a sideways sweep", insufficientVerticalSweep: "an up-and-down sweep",
  insufficientLighting: "more light", insufficientSignalStrength: "a stronger signal",
};
/** A premise that the data refute, by its code, for people: "accelerometerUnit" is "accelerometer unit". */
const refuted = update => Object.keys(update?.details?.findings ?? {}).filter(code => diagnoses.includes(code)).map(code => code.replace(/[A-Z]/g, letter => " " + letter.toLowerCase()));
const diagnoses = "accelerometerUnit accelerometerScale gravityMissing gravitySign imuAxes gyroscopeUnit gyroscopeScale cameraMount cameraClock cameraIntrinsics lensModel featureCoordinates cameraRotation visualInertialMismatch odometryConvention odometryClock odometryScale rangeUnit rangeBias rangeSign radioClock timestampUnit".split(" ");
const levels = {same: "same level", above: "▲ above you", below: "▼ below you", aboveOrBelow: "▲▼ above or below", unknown: ""};

/** The session and its token: from the address, whose fragment never leaves the browser. */
function address() {
  const id = /^\/s\/([0-9a-f]{32})$/.exec(location.pathname)?.[1];
  const token = location.hash.slice(1) || new URLSearchParams(location.search).get("token") || sessionStorage.getItem("token " + id);
  return id && token ? {id, token} : null;
}

function begin() {
  const place = address();
  if (!place) {
    $("open").hidden = false;
    $("session").value = /^\/s\/([0-9a-f]{32})$/.exec(location.pathname)?.[1] ?? "";
    $("open").addEventListener("submit", event => {
      event.preventDefault();
      location.href = "/s/" + $("session").value + "#" + $("token").value;
      if (location.pathname === "/s/" + $("session").value) location.reload();
    });
    return;
  }
  sessionStorage.setItem("token " + place.id, place.token);
  // A token in the query would stay in the history.
  if (location.search) history.replaceState(null, "", location.pathname);
  $("finding").hidden = $("behind").hidden = false;
  connect(place);
  setInterval(() => readPath(place), 1000);
}

async function connect({id, token}) {
  say("connecting");
  let status;
  try {
    const response = await fetch("/v1/sessions/" + id, {headers: {authorization: "Bearer " + token}});
    if (response.status === 404 || response.status === 401) return say("no such session, or another token", true);
    status = await response.json();
  } catch { say("the service does not answer; trying again", true); return setTimeout(() => connect({id, token}), 2000); }
  const query = new URLSearchParams({token, details: "directions"});
  // A long history would take long: then only the present.
  if (status.counts.updates > 20000) query.set("rate", "20");
  if (state.last !== undefined) query.set("lastEventId", state.last);
  const source = state.source = new EventSource(`/v1/sessions/${id}/updates?${query}`);
  source.onopen = () => { stale(false); say(status.state === "finished" ? "finished" : "live"); };
  source.onerror = () => {
    say("connection lost; trying again", true);
    if (!state.isOver) stale(true);
    if (source.readyState !== EventSource.CLOSED) return;
    source.close();
    if (!state.isOver) setTimeout(() => connect({id, token}), 2000);
  };
  source.addEventListener("update", event => { state.last = Number(event.lastEventId); take(JSON.parse(event.data)); });
  source.addEventListener("directions", event => takeDirections(JSON.parse(event.data)));
  source.addEventListener("state", event => {
    const name = JSON.parse(event.data).state;
    stale(name === "suspended");
    say({suspended: "suspended: nothing comes from the device", active: "live", finished: "finished", deleted: "deleted"}[name] ?? name);
    if (name === "finished" || name === "deleted") { state.isOver = true; source.close(); }
  });
}

function say(text, isLost = false) {
  $("connection").textContent = text;
  $("connection").classList.toggle("lost", isLost);
}

/** What is shown is old: it must not look sure. */
function stale(isStale) {
  if (state.isStale === isStale) return;
  state.isStale = isStale;
  schedule();
}

function peer(name) {
  if (!state.peers.has(name)) {
    state.peers.set(name, {name, update: null, modes: [], spans: []});
    state.chosen ??= name;
    showPeers();
  }
  return state.peers.get(name);
}

function take(update) {
  state.start ??= update.timestamp;
  if (update.peer === null) {
    state.session = update;
    if (!state.peers.size) schedule();
    return;
  }
  const one = peer(update.peer);
  one.update = update;
  if (update.horizontalAngle !== null) one.modes = [];
  const wrong = refuted(update), key = [update.convergence.status, ...update.convergence.reasons, ...wrong].join(" ");
  const time = (update.timestamp - state.start) / 1e9, last = one.spans.at(-1);
  if (last?.key === key) last.to = time;
  else one.spans.push({key, from: time, to: time, status: update.convergence.status, reasons: update.convergence.reasons, guidance: update.guidance, wrong});
  if (one.spans.length > 500) one.spans.shift();
  schedule();
}

function takeDirections(directions) {
  const one = peer(directions.peer);
  if (one.update?.horizontalAngle == null) one.modes = directions.modes;
  schedule();
}

function schedule() {
  if (state.isDue) return;
  state.isDue = true;
  requestAnimationFrame(() => { state.isDue = false; draw(); });
}

function showPeers() {
  const group = $("peers");
  group.replaceChildren();
  if (state.peers.size < 2) return;
  for (const name of [...state.peers.keys()].sort()) {
    const button = element(group, "button", {type: "button", "aria-pressed": String(name === state.chosen)}, name);
    button.addEventListener("click", () => { state.chosen = name; showPeers(); draw(); $("peers").querySelector("[aria-pressed=true]").focus(); });
  }
}

function draw() {
  const one = state.peers.get(state.chosen), update = one?.update ?? null;
  const isSure = update?.convergence.status === "converged" && !state.isStale, wrong = refuted(update).length ? refuted(update) : refuted(state.session);
  $("finding").classList.toggle("sure", isSure);
  $("finding").classList.toggle("refuted", wrong.length > 0);
  $("finding").classList.toggle("stale", Boolean(state.isStale && update));
  drawDial(one, update, isSure);
  const shown = $("distance");
  shown.replaceChildren();
  element(shown, "span", {}, update?.distance == null ? "–" : update.distance.toFixed(update.distance < 10 ? 1 : 0));
  if (update?.distance != null) element(shown, "small", {}, "m");
  $("level").textContent = levels[update?.verticalDirectionEstimate] ?? "";
  const wants = (update?.convergence.reasons ?? []).map(reason => words[reason] ?? reason).join(", ");
  $("certainty").textContent = wrong.length ? "✕ the sensors contradict the set-up: " + wrong.join(", ") : state.isStale && update ? "old: nothing new comes" : isSure ? "✓ found" : !update ? "waiting for the first range"
    : update.horizontalAngle !== null ? "not sure yet" + (wants ? ": needs " + wants : "") : "direction not known" + (wants ? ": needs " + wants : " yet");
  $("guidance").textContent = wrong.length ? "Only the distance can be trusted." : update?.guidance ?? state.session?.guidance ?? "";
  speak(update, isSure, wrong);
  drawMap(one, update, isSure);
  drawTimeline(one);
}

/** Tells a listener of what changed, at most once in three seconds. */
function speak(update, isSure, wrong) {
  if (!update) return;
  const way = update.horizontalAngle === null ? "" : Math.abs(degrees(update.horizontalAngle)) < 10 ? "straight ahead"
    : `${Math.round(Math.abs(degrees(update.horizontalAngle)) / 10) * 10} degrees to the ${update.horizontalAngle > 0 ? "right" : "left"}`;
  const text = [wrong.length ? "the sensors contradict the set-up: " + wrong.join(", ") : update.guidance, isSure ? "found" : "", update.distance === null ? "" : `${Math.round(update.distance)} metres`,
    isSure ? way : "", isSure ? (levels[update.verticalDirectionEstimate] ?? "").replace(/[▲▼]/g, "").trim() : ""].filter(Boolean).join(", ");
  const now = performance.now(), wait = state.spokenAt + 3000 - now;
  if (text === state.spoken) return;
  if (wait > 0) {
    // Told later, also where nothing more is drawn.
    state.later ??= setTimeout(() => { state.later = undefined; draw(); }, wait);
    return;
  }
  state.spoken = text;
  state.spokenAt = now;
  $("spoken").textContent = text;
}

const onRing = (angle, radius) => [radius * Math.sin(angle), -radius * Math.cos(angle)];
const arc = (low, high, radius) => {
  const [x0, y0] = onRing(low, radius), [x1, y1] = onRing(high, radius);
  return `M${pixel(x0)} ${pixel(y0)}A${radius} ${radius} 0 ${high - low > Math.PI ? 1 : 0} 1 ${pixel(x1)} ${pixel(y1)}`;
};

function drawDial(one, update, isSure) {
  const angle = update?.horizontalAngle ?? null;
  const svg = shape(null, "svg", {viewBox: "-160 -160 320 320", role: "img", "aria-label": dialWords(one, update, isSure)});
  shape(svg, "circle", {class: "ring", r: 130});
  for (let k = 0; k < 24; k++) {
    const [x0, y0] = onRing(k * Math.PI / 12, k % 6 ? 126 : 120), [x1, y1] = onRing(k * Math.PI / 12, 130);
    shape(svg, "line", {class: "tick", x1: pixel(x0), y1: pixel(y0), x2: pixel(x1), y2: pixel(y1)});
  }
  shape(svg, "text", {class: "ahead", y: -142}, "ahead");
  if (angle !== null) {
    const [low, high] = update.horizontalAngleInterval;
    const wide = Math.min(high - low, 2 * Math.PI - 0.01);
    shape(svg, "path", {class: "fan", d: `${arc(low, low + wide, 128)}L0 0Z`});
    // Kept between drawings, so that it turns rather than jumps; the shorter way round.
    const before = state.turned ?? angle;
    state.turned = before + Math.atan2(Math.sin(angle - before), Math.cos(angle - before));
    const turn = shape(svg, "g", {class: "turn", id: "arrow", "data-angle": angle});
    shape(turn, "path", {class: "arrow", d: "M0 -112L44 -34L17 -44L17 62L-17 62L-17 -44L-44 -34Z"});
    turn.style.transform = `rotate(${degrees(before)}deg)`;
    requestAnimationFrame(() => { turn.style.transform = `rotate(${degrees(state.turned)}deg)`; });
  } else if (one?.modes.length) {
    // Directions close to each other, such as one above and one below, have one share.
    const shares = [];
    for (const mode of one.modes) {
      const near = shares.find(share => Math.cos(share.angle - mode.angle) > 0.88);
      if (near) near.probability += mode.probability;
      else shares.push({angle: mode.angle, probability: mode.probability});
    }
    for (const mode of one.modes.slice().reverse()) {
      const half = clamp(1.645 * mode.std, 0.06, Math.PI - 0.01);
      shape(svg, "path", {class: "mode", d: arc(mode.angle - half, mode.angle + half, 106), "stroke-opacity": clamp(0.15 + 0.85 * mode.probability, 0.15, 1).toFixed(2)});
    }
    for (const share of shares.filter(share => share.probability >= 0.1)) {
      const [x, y] = onRing(share.angle, 76);
      shape(svg, "text", {class: "share", x: pixel(x), y: pixel(y)}, `${Math.round(100 * share.probability)} %`);
    }
    shape(svg, "circle", {class: "hub", r: 5});
  } else {
    state.turned = undefined;
    shape(svg, "text", {class: "unknown", y: 14}, "?");
  }
  $("dial").replaceChildren(svg);
}

function dialWords(one, update, isSure) {
  if (update?.horizontalAngle != null) return `${isSure ? "Arrow" : "Unsure arrow"}: ${Math.round(degrees(update.horizontalAngle))} degrees, positive right`;
  const modes = one?.modes ?? [];
  if (modes.length) return "Possible directions: " + modes.slice(0, 4).map(mode => `${Math.round(degrees(mode.angle))} degrees, ${Math.round(100 * mode.probability)} percent`).join("; ");
  return "No direction known";
}

/** Adds the new part of the trajectory. */
async function readPath({id, token}) {
  if (state.isOver && state.isPathWhole || state.isReading) return;
  state.isReading = true;
  const isOver = state.isOver;
  try {
    const response = await fetch(`/v1/sessions/${id}/trajectory.tum?from=${state.pathBytes}`, {headers: {authorization: "Bearer " + token}});
    if (response.ok) {
      const text = await response.text(), end = text.lastIndexOf("\n") + 1;
      state.pathBytes += new TextEncoder().encode(text.slice(0, end)).length;
      for (const line of text.slice(0, end).split("\n")) {
        const [, x, y] = line.split(" ").map(Number);
        const last = state.path.at(-1);
        if (Number.isFinite(y) && (!last || Math.hypot(x - last[0], y - last[1]) > 0.03)) state.path.push([x, y]);
      }
      state.isPathWhole = isOver;
      schedule();
    }
  } catch { /* the stream tells of a lost connection */ }
  state.isReading = false;
}

function drawMap(one, update, isSure) {
  const world = update?.worldTransform, place = world ? [world[3], world[7]] : null, here = state.path.at(-1);
  const guesses = !place && here && one ? one.modes.map(mode => ({at: [here[0] + mode.distance * mode.direction[0], here[1] + mode.distance * mode.direction[1]], share: mode.probability})) : [];
  const points = [...state.path, ...(place ? [place] : []), ...guesses.map(guess => guess.at)];
  const width = 480, height = 320;
  const svg = shape(null, "svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": place ? `Map: the peer at ${place.map(v => v.toFixed(1)).join(", ")} metres` : "Map: the path so far"});
  if (points.length) {
    const xs = points.map(p => p[0]), ys = points.map(p => p[1]);
    const low = [Math.min(...xs) - 1, Math.min(...ys) - 1], high = [Math.max(...xs) + 1, Math.max(...ys) + 1];
    const unit = Math.min(width / (high[0] - low[0]), height / (high[1] - low[1]));
    const middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
    const to = ([x, y]) => [width / 2 + (x - middle[0]) * unit, height / 2 - (y - middle[1]) * unit];
    const step = niceStep(height / unit, 5);
    for (let k = Math.ceil((middle[0] - width / 2 / unit) / step); k * step <= middle[0] + width / 2 / unit; k++) shape(svg, "line", {class: "grid", x1: pixel(to([k * step, 0])[0]), x2: pixel(to([k * step, 0])[0]), y1: 0, y2: height});
    for (let k = Math.ceil((middle[1] - height / 2 / unit) / step); k * step <= middle[1] + height / 2 / unit; k++) shape(svg, "line", {class: "grid", y1: pixel(to([0, k * step])[1]), y2: pixel(to([0, k * step])[1]), x1: 0, x2: width});
    $("scale").textContent = `· ${step} m a square`;
    shape(svg, "path", {class: "path", d: strokes(state.path.map(to))});
    for (const guess of guesses) { const [x, y] = to(guess.at); shape(svg, "circle", {class: "guess", cx: pixel(x), cy: pixel(y), r: pixel(4 + 8 * guess.share), "fill-opacity": (0.2 + 0.6 * guess.share).toFixed(2)}); }
    if (place) {
      const [x, y] = to(place), c = update.positionCovariance;
      if (c) {
        // The axes of the 90 % ellipse of the horizontal part.
        const mean = (c[0] + c[4]) / 2, spread = Math.hypot((c[0] - c[4]) / 2, c[1]), turn = Math.atan2(2 * c[1], c[0] - c[4]) / 2;
        shape(svg, "ellipse", {class: "ellipse", rx: pixel(2.146 * Math.sqrt(Math.max(mean + spread, 0)) * unit), ry: pixel(2.146 * Math.sqrt(Math.max(mean - spread, 0)) * unit), transform: `translate(${pixel(x)} ${pixel(y)}) rotate(${pixel(-degrees(turn))})`});
      }
      shape(svg, "circle", {class: "place", cx: pixel(x), cy: pixel(y), r: 5});
    }
    if (here) { const [x, y] = to(here); shape(svg, "circle", {class: "here", cx: pixel(x), cy: pixel(y), r: 5}); }
  } else shape(svg, "text", {class: "none", x: width / 2, y: height / 2}, "no path yet");
  $("map").replaceChildren(svg);
}

function drawTimeline(one) {
  const spans = one?.spans ?? [];
  if (one?.drawn === spans.length && spans.length && performance.now() - (one.drawnAt ?? 0) < 500) return;
  const svg = shape(null, "svg", {viewBox: "0 0 480 36", role: "img", "aria-label": "Timeline of the status"});
  if (spans.length) {
    const x = scale(spans[0].from, Math.max(spans.at(-1).to, spans[0].from + 1), 0, 480);
    for (const [index, span] of spans.entries()) {
      const end = spans[index + 1]?.from ?? span.to;
      const bar = shape(svg, "rect", {class: span.wrong.length ? "wrong" : span.status === "unknown" ? "noStatus" : span.status, x: pixel(x(span.from)), width: pixel(Math.max(x(end) - x(span.from), 0.5)), y: 4, height: 28, "fill-opacity": span.status === "notConverged" ? clamp(0.9 - 0.2 * span.reasons.length, 0.3, 0.9) : 1});
      shape(bar, "title", {}, `${span.from.toFixed(1)} s: ${span.status} ${span.reasons.map(reason => words[reason] ?? reason).join(", ")}`);
    }
  }
  $("timeline").replaceChildren(svg);
  const list = $("reasons");
  list.replaceChildren();
  for (const span of spans.slice(-40).reverse()) {
    const item = element(list, "li");
    element(item, "time", {}, span.from.toFixed(1) + " s");
    item.append(span.wrong.length ? "the sensors contradict the set-up: " + span.wrong.join(", ") : span.status === "converged" ? "found" : span.status === "unknown" ? "nothing to judge yet" : "needs " + (span.reasons.map(reason => words[reason] ?? reason).join(", ") || "a moment"));
    if (span.guidance) item.append(" – " + span.guidance);
  }
  if (one) [one.drawn, one.drawnAt] = [spans.length, performance.now()];
}

window.finding = state;  // for tests
begin();
if (address()) draw();

// The finding screen: one session's updates, as they come. `sight` says what is shown, `drawDial` and `drawMap` draw it.

const $ = id => document.getElementById(id);
const state = {peers: new Map(), chosen: null, session: null, path: [], pathBytes: 0, source: null, link: {isOver: false, isLost: false, isSuspended: false}, heard: 0, seen: null, said: {text: "not connected", isLost: false}, spokenAt: -3000, spoken: ""};

/** The session and its token: from the address, whose fragment never leaves the browser. */
function address() {
  const id = /^\/s\/([0-9a-f]{32})$/.exec(location.pathname)?.[1];
  const token = location.hash.slice(1) || new URLSearchParams(location.search).get("token") || sessionStorage.getItem("token " + id);
  return id && token ? {id, token} : null;
}

function begin() {
  $("open").addEventListener("submit", event => {
    event.preventDefault();
    const path = "/s/" + $("session").value, isSame = location.pathname === path;
    location.href = path + "#" + $("token").value;
    if (isSame) location.reload();
  });
  const place = address();
  if (!place) return ask(/^\/s\/([0-9a-f]{32})$/.exec(location.pathname)?.[1] ?? "");
  sessionStorage.setItem("token " + place.id, place.token);
  // A token in the query would stay in the history.
  if (location.search) history.replaceState(null, "", location.pathname);
  $("finding").hidden = $("behind").hidden = false;
  draw();
  connect(place);
  setInterval(() => readPath(place), 1000);
  // What is shown grows old without an update, too.
  setInterval(() => { if (state.seen?.age === "old" || (state.seen?.age === "fresh" && age() >= oldAfter)) draw(); }, 100);
  // A browser has six connections to a host: a page that nobody sees gives its own back.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return connect(place);
    leave();
    if (!state.link.isOver) say("paused while out of sight");
  });
}

/** Asks for a session and its token; `refusal` says why those of the address are of no use. */
function ask(id, refusal = "") {
  $("open").hidden = false;
  write("name", "fuse");
  $("finding").hidden = $("behind").hidden = true;
  $("session").value = id;
  if (!refusal) return;
  $("ask").textContent = "Wrong token or no such session";
  $("refusal").hidden = false;
  $("refusal").textContent = refusal;
  $("token").focus();
}

/** Gives the connection back. */
function leave() {
  state.source?.close();
  state.source = null;
  clearTimeout(state.retry);
}

/** Reads the session's state, then listens. What answers late, after the page was left or opened again, is passed over. */
async function connect(place) {
  if (state.link.isOver || document.hidden) return;
  leave();
  const {id, token} = place, mine = state.attempt = {};
  say(state.link.isLost ? "connection lost; trying again" : "connecting", state.link.isLost);
  const again = text => {
    state.link.isLost = true;
    say(text + "; trying again", true);
    schedule();
    state.retry = setTimeout(() => connect(place), 2000);
  };
  let response, status;
  try {
    response = await fetch("/v1/sessions/" + id, {headers: {authorization: "Bearer " + token}, signal: AbortSignal.timeout(8000)});
    status = await response.json();
  } catch (error) {
    if (mine !== state.attempt || document.hidden) return;
    return again(error.name === "TimeoutError" ? "the service does not answer, or too many pages of it are open" : "the service does not answer");
  }
  if (mine !== state.attempt || document.hidden) return;
  if (response.status === 404 || response.status === 401) return refused(id);
  if (!response.ok) return again(status.error ?? `the service answers ${response.status}`);
  if (status.state === "failed") return over("failed: " + (status.failure ?? "no cause is known"));
  const query = new URLSearchParams({token, details: "directions"});
  // A long history would take long: then only the present.
  if (status.counts.updates - (state.last ?? 0) > 20000) query.set("rate", "20");
  if (state.last !== undefined) query.set("lastEventId", state.last);
  const source = state.source = new EventSource(`/v1/sessions/${id}/updates?${query}`);
  source.onopen = () => {
    Object.assign(state.link, {isLost: false, isSuspended: status.state === "suspended"});
    tell(status.state);
  };
  source.onerror = () => {
    source.close();
    if (source === state.source && !state.link.isOver) again("connection lost");
  };
  source.addEventListener("update", event => { state.last = Number(event.lastEventId); take(JSON.parse(event.data)); });
  source.addEventListener("verdict", event => { state.link.verdict = JSON.parse(event.data); schedule(); });
  source.addEventListener("directions", event => takeDirections(JSON.parse(event.data)));
  source.addEventListener("state", event => {
    const name = JSON.parse(event.data).state;
    if (name === "finished" || name === "deleted" || name === "failed") return over(name);
    state.link.isSuspended = name === "suspended";
    tell(name);
  });
}

function tell(name) {
  say({suspended: "suspended: nothing comes from the device", active: "live", recovering: "recovering", finished: "live"}[name] ?? name);
  schedule();
}

/** Nothing more comes: the last of it stays, and does not look alive. */
function over(ending) {
  state.source?.close();
  Object.assign(state.link, {isOver: true, isLost: false, isSuspended: false, ending});
  say(ending);
  schedule();
}

/** The service tells nobody whether the token or the session is wrong. */
function refused(id) {
  if (state.last !== undefined) return over("no longer there");
  sessionStorage.removeItem("token " + id);
  state.link.isOver = true;
  say("not opened", true);
  ask(id, "The session was deleted, or the token in the address (behind #) is not its read token. Ask for the address again, or enter the token here.");
}

function say(text, isLost = false) {
  state.said = {text, isLost};
  showLink(state.seen?.age === "old");
}

/** What is said of the connection; one that is there and brings nothing is not live. */
function showLink(isOld) {
  const {text, isLost} = state.said, shown = text === "live" && isOld ? "connected, no updates" : text;
  write("connection", shown);
  $("connection").className = isLost ? "lost" : shown === "live" ? "live" : "";
}

const age = () => performance.now() - state.heard;

function peer(name) {
  if (!state.peers.has(name)) {
    state.peers.set(name, {name, update: null, modes: [], spans: []});
    state.chosen ??= name;
  }
  return state.peers.get(name);
}

function take(update) {
  state.start ??= update.timestamp;
  if (update.peer === null) {
    state.session = update;
    return schedule();
  }
  state.heard = performance.now();
  const one = peer(update.peer);
  one.update = update;
  if (update.horizontalAngle !== null) one.modes = [];
  const wrong = refuted(update, state.link.verdict).map(one => spaced(one.code)), key = [update.convergence.status, ...update.convergence.reasons, ...wrong].join(" ");
  const time = (update.timestamp - state.start) / 1e9, last = one.spans.at(-1);
  if (last?.key === key) last.to = time;
  else one.spans.push({key, from: time, to: time, status: update.convergence.status, reasons: update.convergence.reasons, guidance: update.guidance, wrong});
  if (one.spans.length > 500) one.spans.shift();
  schedule();
}

function takeDirections(directions) {
  const one = peer(directions.peer);
  if (one.update?.horizontalAngle == null) one.modes = directions.modes;
  if (directions.ahead !== undefined) state.ahead = directions.ahead ?? state.ahead;
  schedule();
}

function schedule() {
  if (state.isDue) return;
  state.isDue = true;
  requestAnimationFrame(() => { state.isDue = false; draw(); });
}

function draw() {
  if ($("finding").hidden) return;
  const one = state.peers.get(state.chosen) ?? null, seen = state.seen = sight(one, state.session, state.link, age(), state.seen);
  const isFresh = seen.age === "fresh";
  document.body.className = seen.kind === "go" || seen.kind === "here" ? seen.kind : "";
  $("finding").className = isFresh ? seen.kind : seen.age;
  state.turned = drawDial($("dial"), seen, state.turned);
  write("name", seen.name || "No peer yet");
  showLink(seen.age === "old");
  if ($("distance").dataset.text !== seen.distance) {
    $("distance").dataset.text = seen.distance;
    $("distance").replaceChildren();
    element($("distance"), "span", {}, seen.distance);
    if (seen.unit) element($("distance"), "small", {}, seen.unit);
  }
  for (const id of ["side", "level", "certainty", "guidance"]) write(id, seen[id]);
  $("done").classList.toggle("shown", seen.progress !== null);
  $("done").value = seen.progress ?? 0;
  showOthers(isFresh);
  speak(seen.spoken);
  const peers = [...state.peers.values()];
  drawMap($("map"), $("turned"), {path: state.path, peers, chosen: state.chosen, told: state.ahead, isFresh});
  if (one && (one.drawn !== one.spans.length || performance.now() - one.drawnAt > 500 || state.drawnPeer !== one)) {
    drawTimeline($("timeline"), $("reasons"), one.spans, seen.faults);
    [one.drawn, one.drawnAt, state.drawnPeer] = [one.spans.length, performance.now(), one];
  }
}

function write(id, text) { if ($(id).textContent !== text) $(id).textContent = text; }

/** A chip for each peer, where there are several: its name, distance and side. Made once, in the order in which they came: the focus stays, nothing moves. */
function showOthers(isFresh) {
  const group = $("others");
  if (state.peers.size < 2) return;
  for (const name of state.peers.keys()) {
    let chip = [...group.children].find(node => node.dataset.name === name);
    if (!chip) {
      chip = element(group, "button", {type: "button", "data-name": name});
      chip.addEventListener("click", () => { state.chosen = name; state.turned = undefined; state.seen = null; draw(); });
    }
    const told = brief(state.peers.get(name), isFresh, state.link.verdict), key = JSON.stringify(told);
    chip.setAttribute("aria-pressed", String(name === state.chosen));
    if (chip.dataset.told === key) continue;
    chip.dataset.told = key;
    chip.replaceChildren();
    drawNeedle(chip, told);
    element(chip, "span", {}, name);
    element(chip, "small", {}, told.distance);
    element(chip, "span", {class: "unseen"}, ", " + told.words);
  }
}

/** Tells a listener of what changed, at most once in three seconds. */
function speak(text) {
  const now = performance.now(), wait = state.spokenAt + 3000 - now;
  if (!text || text === state.spoken) return;
  if (wait > 0) {
    // Told later, also where nothing more is drawn.
    state.later ??= setTimeout(() => { state.later = undefined; draw(); }, wait);
    return;
  }
  state.spoken = text;
  state.spokenAt = now;
  $("spoken").textContent = text;
}

/** Adds the new part of the trajectory. */
async function readPath({id, token}) {
  if (document.hidden || state.isReading || (state.link.isOver && state.isPathWhole)) return;
  state.isReading = true;
  const isOver = state.link.isOver;
  try {
    const response = await fetch(`/v1/sessions/${id}/trajectory.tum?from=${state.pathBytes}`, {headers: {authorization: "Bearer " + token}, signal: AbortSignal.timeout(8000)});
    if (response.ok) {
      const text = await response.text(), end = text.lastIndexOf("\n") + 1;
      state.pathBytes += new TextEncoder().encode(text.slice(0, end)).length;
      for (const line of text.slice(0, end).split("\n")) {
        // In a new world the old path means nothing.
        if (line.startsWith("# a new world")) state.path = [];
        const [, x, y] = line.split(" ").map(Number);
        const last = state.path.at(-1);
        if (Number.isFinite(y) && (!last || Math.hypot(x - last[0], y - last[1]) > 0.03)) state.path.push([x, y]);
      }
      // A long path is drawn with fewer points.
      if (state.path.length > 4000) state.path = state.path.filter((_, k) => k % 2 === (state.path.length - 1) % 2);
    }
    // A session that is gone has no more of it.
    state.isPathWhole = isOver && (response.ok || response.status === 404);
    schedule();
  } catch { /* the stream tells of a lost connection */ }
  state.isReading = false;
}

window.finding = state;  // for tests
begin();

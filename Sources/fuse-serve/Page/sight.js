// What the screen says of a peer, from what is known of it: pure, draws nothing. Angles in radians, 0 ahead, positive right.

const degrees = angle => angle * 180 / Math.PI;
const capital = text => text && text[0].toUpperCase() + text.slice(1);

/** Milliseconds without an update after which what is shown is old. */
const oldAfter = 2000;

const lacks = {
  insufficientMovement: "more movement", insufficientHorizontalSweep: "a sideways sweep", insufficientVerticalSweep: "an up-and-down sweep",
  insufficientLighting: "more light", insufficientSignalStrength: "a stronger signal",
};
const lacking = reasons => (reasons ?? []).map(reason => lacks[reason] ?? reason).join(", ");
const levels = {same: "on your level", above: "▲ above you", below: "▼ below you", aboveOrBelow: "▲▼ above or below you"};
const spaced = code => code.replace(/[A-Z]/g, letter => " " + letter.toLowerCase());

/** What the data refute of the set-up: the verdict's findings that an update names, of the device or of its peer. */
const refuted = (update, verdict) => (verdict?.findings ?? []).filter(({state, code, peer}) =>
  state === "broken" && code in (update?.details?.findings ?? {}) && (peer === null || update.peer === null || peer === update.peer));

/** A side: ahead, behind or neither, and left, right or neither. `width` is the arc's, within which finer words would say too much. */
function side(angle, width = 0) {
  const off = Math.abs(degrees(Math.atan2(Math.sin(angle), Math.cos(angle)))), across = Math.sin(angle) > 0 ? "right" : "left";
  const [narrow, wide] = degrees(width) > 100 ? [45, 45] : [10, 60];
  if (off <= narrow) return {along: "ahead", across: "", isNarrow: narrow === 10};
  if (off >= 180 - narrow) return {along: "behind", across: "", isNarrow: narrow === 10};
  return {along: off < wide ? "ahead" : off > 180 - wide ? "behind" : "", across};
}

/** "straight ahead", "ahead, to the left", "to the left", "behind, to the left", "behind you". */
function sideWords({along, across, isNarrow}) {
  if (!across) return along === "behind" ? "behind you" : isNarrow ? "straight ahead" : "ahead";
  return along ? `${along}, to the ${across}` : `to the ${across}`;
}

/** Two sides in one phrase, each once. */
function eitherSide(a, b) {
  if (a.across === b.across && a.along === b.along) return sideWords(a);
  if (a.across && a.across === b.across) return a.along && b.along ? `to the ${a.across}, ahead or behind` : `to the ${a.across}`;
  if (a.along === b.along && a.across && b.across) return `${a.along ? a.along + ", " : ""}to the left or to the right`;
  if (a.along && a.along === b.along) return a.along;
  if (!a.across && !b.across) return "ahead or behind";
  const short = one => [one.along, one.across && (one.along ? one.across : "to the " + one.across)].filter(Boolean).join(" ");
  return `${short(a)} or ${short(b)}`;
}

/**
 * The parts of the circle where a peer may be, likeliest first: {from, to, angle, width, share}.
 *
 * Of the modes' density the highest part that holds 90 %, in steps of five degrees; what lies outside counts for the nearest part, so that the
 * shares sum to 1. What the list of modes leaves out may be anywhere.
 */
function sectors(modes) {
  if (!modes?.length) return [];
  const count = 72, step = 2 * Math.PI / count, listed = modes.reduce((sum, mode) => sum + mode.probability, 0);
  const mass = new Array(count).fill(Math.max(1 - listed, 0) / count);
  for (const mode of modes) {
    const sigma = clamp(mode.std, step / 2, 1.8), own = mass.map((_, k) => {
      const off = Math.atan2(Math.sin(k * step - mode.angle), Math.cos(k * step - mode.angle));
      return Math.exp(-0.5 * (off / sigma) ** 2);
    });
    const total = own.reduce((sum, value) => sum + value, 0);
    own.forEach((value, k) => { mass[k] += mode.probability * value / total; });
  }
  const whole = mass.reduce((sum, value) => sum + value, 0), inside = new Array(count).fill(false);
  let held = 0;
  for (const k of [...mass.keys()].sort((a, b) => mass[b] - mass[a])) {
    if (held >= 0.9 * whole) break;
    inside[k] = true;
    held += mass[k];
  }
  // Narrow gaps are none.
  const closed = inside.map((is, k) => is || [1, 2].some(n => inside[(k + n) % count] && [1, 2].some(m => n + m < 4 && inside[(k - m + count) % count])));
  const begin = closed.findIndex((is, k) => is && !closed[(k - 1 + count) % count]);
  if (begin < 0) return [{from: -Math.PI, to: Math.PI, angle: 0, width: 2 * Math.PI, share: 1}];
  const found = [];
  for (let n = 0; n < count; n++) {
    const k = begin + n;
    if (!closed[k % count]) continue;
    if (found.at(-1)?.last === k - 1) found.at(-1).last = k;
    else found.push({first: k, last: k});
  }
  const parts = found.map(({first, last}) => {
    const [from, to] = [(first - 0.5) * step, (last + 0.5) * step], middle = (from + to) / 2, turns = Math.round(middle / (2 * Math.PI)) * 2 * Math.PI;
    return {from: from - turns, to: to - turns, angle: middle - turns, width: to - from, share: 0};
  });
  mass.forEach((value, k) => {
    const off = part => Math.abs(Math.atan2(Math.sin(k * step - part.angle), Math.cos(k * step - part.angle))) - part.width / 2;
    parts.reduce((near, part) => off(part) < off(near) ? part : near).share += value / whole;
  });
  return parts.sort((a, b) => b.share - a.share);
}

/** An arc that is wider than this names no side, radians. */
const tooWide = 1.2 * Math.PI;

/** Where the peer may be, in words: the side of the likeliest parts. */
function possibleSide(parts) {
  const [first, second] = parts, unknown = "direction not known yet";
  if (!first || first.width > tooWide) return unknown;
  const name = part => side(part.angle, part.width);
  if (first.share >= 0.75) return "probably " + sideWords(name(first));
  if (second && second.width <= tooWide && second.share > 0.6 * first.share) {
    return first.share + second.share >= 0.65 ? "perhaps " + eitherSide(name(first), name(second)) : unknown;
  }
  return first.share >= 0.35 ? "perhaps " + sideWords(name(first)) : unknown;
}

/** Whether it is reached: within a metre, sure of it; left only beyond one and a half. `before` is the answer so far. */
const isHere = (update, before) => update?.distance != null && (before ? update.distance <= 1.5 : update.distance <= 1 && update.distance + 1.645 * (update.distanceStd ?? 1) <= 1.5);

/** Whether one walks towards it: within 15 degrees, lost only beyond 25. */
const isOnCourse = (angle, before) => Math.abs(degrees(Math.atan2(Math.sin(angle), Math.cos(angle)))) <= (before ? 25 : 15);

/** What to do where the direction is known: turn, or walk. */
function wayWords(angle, onCourse) {
  const off = Math.abs(degrees(angle)), hand = angle > 0 ? "right" : "left";
  return onCourse ? "Walk towards it." : off > 170 ? "Turn around." : off > 120 ? `Turn around, to the ${hand}.` : `Turn ${hand}.`;
}

const metres = distance => distance == null ? "–" : distance.toFixed(distance < 10 ? 1 : 0);

/** The side of a known angle in words; those of `before` where five degrees make the difference, so that they do not flicker. */
function knownSide(angle, before) {
  const near = [-1, 1].map(sign => sideWords(side(angle + sign * Math.PI / 36)));
  return near.includes(before) ? before : sideWords(side(angle));
}

/** Seconds since something, whole; "1 s" at least. */
const seconds = milliseconds => Math.max(Math.floor(milliseconds / 1000), 1) + " s";

/**
 * All that is shown of one peer.
 *
 * `one` is the peer ({name, update, modes}) or null; `session` the newest update without a peer; `link` {isOver, isLost, isSuspended, ending, verdict};
 * `age` milliseconds since the newest update; `before` the sight before this one, for what must not flicker. Gives:
 * kind: waiting, searching, ring, unsure, sure, go, here, refuted; age: fresh, old, over; known: the side of the angle, for the sight after this one; faults: findings of the verdict that refute the set-up; name, distance, unit, side, level, certainty, guidance, progress
 * (0 to 1 or null), arrow {angle, low, high} or null, parts as `sectors` gives them, spoken.
 */
function sight(one, session, link, age, before = null) {
  const update = one?.update ?? null, own = refuted(update, link.verdict), faults = own.length ? own : refuted(session, link.verdict);
  const when = link.isOver ? "over" : update && (age >= oldAfter || link.isSuspended) ? "old" : "fresh", isNow = when === "fresh";
  const angle = update?.horizontalAngle ?? null, isSure = update?.convergence.status === "converged" && angle !== null;
  const parts = angle === null && !faults.length ? sectors(one?.modes) : [];
  const here = !faults.length && isNow && isHere(update, before?.kind === "here");
  const onCourse = isNow && isSure && isOnCourse(angle, before?.kind === "go");
  const kind = !update ? "waiting" : faults.length ? "refuted" : here ? "here" : onCourse ? "go" : isSure ? "sure" : angle !== null ? "unsure" : parts.length ? "ring" : "searching";
  const known = angle === null ? null : onCourse ? "straight ahead" : knownSide(angle, before?.known);
  const where = faults.length ? "direction not known" : known !== null ? (isSure ? "" : "probably ") + known : possibleSide(parts), isKnown = !where.startsWith("direction");
  const wants = lacking(update?.convergence.reasons);
  const shown = {kind, age: when, known, faults, name: one?.name ?? "", distance: metres(update?.distance), unit: update?.distance == null ? "" : "m", parts, progress: null,
    arrow: angle === null || faults.length || here ? null : {angle, low: update.horizontalAngleInterval[0], high: update.horizontalAngleInterval[1]},
    // Of a link that is refuted the distance is what its radio says, no more.
    level: faults.some(one => one.family === "radio") ? "as the radio says" : faults.length ? "only the distance holds" : levels[update?.verticalDirectionEstimate] ?? ""};
  if (!update) shown.side = link.isOver ? "nothing was found" : "waiting for the first range";
  else if (here) shown.side = "it is here";
  else shown.side = isNow || !isKnown ? where : "last known: " + where;
  shown.side = capital(shown.side);
  if (link.isOver) [shown.certainty, shown.guidance] = [`■ ${link.ending ?? "ended"}: nothing more comes`, update ? "This is the last that was known." : ""];
  else if (when === "old") [shown.certainty, shown.guidance] = [`‖ old: nothing new for ${seconds(age)}`, link.isLost ? "The connection is lost." : "Nothing comes from the device."];
  else if (kind === "refuted") [shown.certainty, shown.guidance] = ["✕ set-up broken: " + faults.map(one => spaced(one.code)).join(", "), capital(faults[0].remedy)];
  else if (update?.details?.premise) [shown.certainty, shown.guidance] = ["? doubtful set-up: " + spaced(update.details.premise), update.guidance ?? ""];
  else if (here) [shown.certainty, shown.guidance] = ["✓ within reach", "Look around you."];
  else {
    shown.certainty = isSure ? "✓ found" + (update.quality === "drifting" ? ", but no range now" : "") : !update ? "" : (angle !== null ? "? not sure yet" : "? searching") + (wants ? ": needs " + wants : "");
    shown.guidance = update?.guidance ?? session?.guidance ?? (isSure ? wayWords(angle, onCourse) : "");
    if (!isSure && update?.guidance) shown.progress = update.details?.progress ?? null;
  }
  // A listener is told of what changes what to do, not of every second or metre.
  const mark = when === "fresh" ? shown.certainty : when === "old" ? "nothing new comes" : link.ending ?? "ended";
  shown.spoken = !update ? "" : [shown.name, shown.guidance.replace(/\.$/, ""), shown.side, update.distance == null ? "" : `${Math.round(update.distance)} metres`,
    isSure && isNow ? shown.level : "", mark].map(text => text.replace(/[▲▼✓✕■‖?]/g, "").trim()).filter(Boolean).join(", ");
  return shown;
}

/** What a chip says of a peer that is not the chosen one: {distance, angle or null, isSure, words}. */
function brief(one, isFresh, verdict) {
  const update = one.update, angle = update?.horizontalAngle ?? null, faults = refuted(update, verdict);
  const parts = angle === null ? sectors(one.modes) : [];
  const words = angle === null && !parts.length ? "direction not known" : angle !== null ? sideWords(side(angle)) : possibleSide(parts);
  if (faults.length) return {distance: "✕", angle: null, words: "set-up broken, direction not known", isSure: false};
  return {distance: update?.distance == null ? "–" : metres(update.distance) + " m", angle, words,
    isSure: isFresh && update?.convergence.status === "converged"};
}

// Drawing: SVG elements, scales, ticks, panels over time. Independent of runs and peers.

const svgSpace = document.createRange().createContextualFragment("<svg/>").firstChild.namespaceURI;

/** A new SVG element within `parent`; text goes in as text, never as markup. */
function shape(parent, name, attributes = {}, text = null) {
  const node = document.createElementNS(svgSpace, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== null) node.textContent = text;
  if (parent) parent.append(node);
  return node;
}

/** A new HTML element within `parent`. */
function element(parent, name, attributes = {}, text = null) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== null) node.textContent = text;
  if (parent) parent.append(node);
  return node;
}

const pixel = value => Math.round(value * 10) / 10;
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/** The linear map from [from, to] to [start, end]. */
function scale(from, to, start, end) {
  const slope = to === from ? 0 : (end - start) / (to - from);
  return value => start + (value - from) * slope;
}

/** The step 1, 2 or 5 times a power of ten that gives about `count` steps. */
function niceStep(length, count) {
  if (!(length > 0)) return 1;
  const power = Math.pow(10, Math.floor(Math.log10(length / count)));
  const ratio = length / count / power;
  return power * (ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1);
}

function ticks(low, high, count) {
  const step = niceStep(high - low, count);
  const list = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) list.push(Number((k * step).toPrecision(12)));
  return list;
}

/** A path through points; a null begins a new stroke. */
function strokes(points) {
  let text = "", pen = false;
  for (const point of points) {
    if (point) text += (pen ? "L" : "M") + pixel(point[0]) + " " + pixel(point[1]);
    pen = point !== null;
  }
  return text;
}

/** The area between an upper and a lower line; a null in either ends a piece. */
function area(upper, lower) {
  let text = "", begin = null;
  for (let i = 0; i <= upper.length; i++) {
    if (i < upper.length && upper[i] && lower[i]) { begin ??= i; continue; }
    if (begin !== null) text += strokes(upper.slice(begin, i)) + strokes(lower.slice(begin, i).reverse()).replace("M", "L") + "Z";
    begin = null;
  }
  return text;
}

/** Many circles as one path. */
function circles(points, radius) {
  const r = radius, circle = `a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
  return points.map(point => `M${pixel(point[0] - r)} ${pixel(point[1])}` + circle).join("");
}

/** Many crosses as one path. */
function crosses(points, radius) {
  const r = radius;
  return points.map(([x, y]) => `M${pixel(x - r)} ${pixel(y - r)}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`).join("");
}

/** The quantile p of the finite values. */
function quantile(values, p) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  return sorted.length ? sorted[Math.floor(p * (sorted.length - 1))] : null;
}

/** The last index whose time is not after `moment`; -1 before the first. */
function latest(times, moment) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= moment + 1e-6) low = middle + 1; else high = middle;
  }
  return low - 1;
}

/**
 * A drawing over the common time axis: caption, vertical axis, cursor.
 *
 * `axis` is {low, high, ticks: [values], text: value => string, log: bool}; `draw(plot)` gets {svg, x, y, left, right, top, bottom}.
 * `read(moment)` returns the values at a time as text.
 */
function timePanel(parent, {title, note, height, span, axis, draw, read}) {
  const figure = element(parent, "figure");
  const caption = element(figure, "figcaption");
  element(caption, "b", {}, title);
  caption.append(" ");
  const words = element(caption, "span");
  const width = Math.max(260, figure.clientWidth);
  const [left, right, top, bottom] = [52, width - 8, 6, height - (axis ? 18 : 2)];
  const svg = shape(figure, "svg", {viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": title});
  const x = scale(span[0], span[1], left, right);
  let y = null;
  if (axis) {
    const map = axis.log ? Math.log10 : value => value;
    const straight = scale(map(axis.low), map(axis.high), bottom, top);
    y = value => straight(map(clamp(value, axis.low, axis.high)));
    for (const tick of axis.ticks) {
      shape(svg, "line", {class: "grid", x1: left, x2: right, y1: pixel(y(tick)), y2: pixel(y(tick))});
      shape(svg, "text", {x: left - 7, y: pixel(y(tick)) + 4, "text-anchor": "end"}, axis.text(tick));
    }
    for (const tick of ticks(span[0], span[1], width / 90)) {
      shape(svg, "line", {class: "grid", x1: pixel(x(tick)), x2: pixel(x(tick)), y1: top, y2: bottom});
      shape(svg, "text", {x: pixel(x(tick)), y: bottom + 14, "text-anchor": x(tick) > right - 12 ? "end" : "middle"}, `${tick} s`);
    }
  }
  draw({svg, x, y, left, right, top, bottom});
  const cursor = shape(svg, "line", {class: "cursor", y1: top, y2: bottom});
  return {
    svg,
    moment: clientX => {
      const box = svg.getBoundingClientRect();
      const at = (clientX - box.left) * width / box.width;
      return clamp(span[0] + (at - left) / (right - left) * (span[1] - span[0]), span[0], span[1]);
    },
    show: moment => {
      cursor.setAttribute("x1", pixel(x(moment)));
      cursor.setAttribute("x2", pixel(x(moment)));
      words.textContent = (read && read(moment)) || note || "";
    },
  };
}

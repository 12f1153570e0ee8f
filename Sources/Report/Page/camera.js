// The camera at the selected time: tracks over its picture where there is one, and the moments that the page has.

/** Fills the section; `choose(seconds)` selects a time. Returns what shows a time, or null without a camera. */
function drawCamera(parent, camera, choose) {
  parent.replaceChildren();
  parent.hidden = !camera;
  if (!camera) return null;
  const {width, height, moments} = camera;
  const figure = element(parent, "figure", {class: "view"});
  const caption = element(figure, "figcaption");
  element(caption, "b", {}, "Camera");
  caption.append(" ");
  const note = element(caption, "span");
  const box = element(figure, "div", {class: "drawing"});
  // Lines keep their width on the page whatever the camera's pixels.
  const unit = width / Math.max(240, Math.min(640, box.clientWidth || 640));
  const svg = shape(box, "svg", {viewBox: `-0.5 -0.5 ${width} ${height}`, role: "img", "aria-label": "What the camera sees"});
  const scene = shape(svg, "g");
  const list = element(parent, "div", {class: "moments", role: "group", "aria-label": "Moments of the camera"});
  const buttons = moments.map(({t, words}) => {
    const button = element(list, "button", {type: "button"}, `${t.toFixed(1)} s`);
    if (words) element(button, "span", {}, words);
    // The times on the page have two decimals; a moment is shown from its own time on.
    button.addEventListener("click", () => choose(Math.ceil(100 * t) / 100));
    return button;
  });
  let shown = null;
  const paint = k => {
    scene.replaceChildren();
    const {tracks, picture} = moments[k];
    shape(scene, "rect", {class: "blank", x: -0.5, y: -0.5, width, height});
    if (picture) shape(scene, "image", {x: -0.5, y: -0.5, width, height, href: picture, preserveAspectRatio: "none"});
    const points = tracks.map(flat => Array.from({length: flat.length / 2}, (_, i) => [flat[2 * i], flat[2 * i + 1]]));
    const kind = picture ? "over" : "alone";
    shape(scene, "path", {class: `tail ${kind}`, d: points.map(strokes).join(""), "stroke-width": pixel(1.6 * unit)});
    shape(scene, "path", {class: `track ${kind}`, d: circles(points.map(way => way.at(-1)), 2.6 * unit), "stroke-width": pixel(unit)});
  };
  return {show: moment => {
    const k = Math.max(0, latest(moments.map(({t}) => t), moment));
    if (k !== shown) paint(k);
    shown = k;
    buttons.forEach((button, i) => button.setAttribute("aria-current", String(i === k)));
    const {t, tracks, picture} = moments[k];
    const age = moment - t;
    note.textContent = [`at ${t.toFixed(1)} s`, Math.abs(age) >= 0.1 ? ` (${Math.abs(age).toFixed(1)} s ${age > 0 ? "before" : "after"} the selected time)` : "",
      `: ${tracks.length === 0 ? "no tracks" : tracks.length === 1 ? "1 track and its last half second" : `${tracks.length} tracks and their last half second`}`, picture ? "" : "; no picture"].join("");
  }};
}

// A figure as a file of its own: SVG as drawn, or PNG of twice its size.

/** What a stand-alone drawing needs of the page's style sheet. */
const drawnStyles = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap",
  "stroke-linejoin", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "paint-order", "display"];

/** The drawing at the selected time, its styles written out, on the card's colour. */
function standAlone(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg, copy].map(root => [root, ...root.querySelectorAll("*")]);
  from.forEach((node, i) => {
    const style = getComputedStyle(node);
    to[i].setAttribute("style", drawnStyles.map(name => `${name}: ${style.getPropertyValue(name)}`).join("; "));
  });
  const [x, y, width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  Object.entries({width, height}).forEach(([name, value]) => copy.setAttribute(name, value));
  const paper = shape(null, "rect", {x, y, width, height, fill: getComputedStyle(svg.closest("figure").parentElement).backgroundColor});
  copy.prepend(paper);
  return {text: new XMLSerializer().serializeToString(copy), width, height};
}

/** Gives the reader a file. */
function hand(name, address) {
  const link = element(null, "a", {download: name});
  link.href = address;
  link.click();
}

/** The name of a figure's file: run, figure, kind. */
function fileName(figure, kind) {
  const title = figure.querySelector("figcaption b").textContent.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return `${data.name}-${title}.${kind}`;
}

function exportSVG(figure) {
  const {text} = standAlone(figure.querySelector("svg"));
  hand(fileName(figure, "svg"), "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text));
}

function exportPNG(figure) {
  const {text, width, height} = standAlone(figure.querySelector("svg"));
  const image = new Image();
  image.onload = () => {
    const canvas = Object.assign(document.createElement("canvas"), {width: 2 * width, height: 2 * height});
    canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
    hand(fileName(figure, "png"), canvas.toDataURL("image/png"));
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
}

/** Two buttons in a figure's caption, once. */
function offerExport(figure) {
  const caption = figure.querySelector("figcaption");
  if (caption.querySelector(".export")) return;
  const buttons = element(caption, "span", {class: "export"});
  for (const [kind, act] of [["SVG", exportSVG], ["PNG", exportPNG]]) {
    element(buttons, "button", {type: "button", "aria-label": `Save as ${kind}`}, kind).addEventListener("click", () => act(figure));
  }
}

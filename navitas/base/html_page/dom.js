"use strict";
// Makes elements. All text goes in as text, so that names of the measured app can't become markup.
const dom = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  // Where a name may continue on the next line: after a separator; in a long word also before a capital after a small letter.
  const SEPARATORS = /(?<=[.$/:_#,])(?=.)|(?=\()/u;
  const HUMPS = /(?<=[\p{Ll}\d])(?=\p{Lu})/u;
  const LONG_WORD = 22;
  const LONG_NAME = /\S{23}/u;

  const fill = (made, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  };
  const element = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

  const breakable = (text) => {
    const parts = text.split(SEPARATORS).flatMap((part) => (part.length > LONG_WORD ? part.split(HUMPS) : [part]));
    return parts.flatMap((part, index) => (index ? [element("wbr"), part] : [part]));
  };
  // A name in a monospaced font, which breaks between its words.
  const code = (name) => element("code", {}, ...breakable(name));
  // Lets the long names of the document's sentences break between their words, too.
  const breakNames = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) if (LONG_NAME.test(walker.currentNode.data)) texts.push(walker.currentNode);
    for (const text of texts) {
      const words = text.data.split(/(\s+)/);
      text.replaceWith(...words.flatMap((word) => (LONG_NAME.test(word) ? breakable(word) : [word])));
    }
    root.normalize();
  };
  const button = (label, onclick, attributes = {}) => element("button", { type: "button", onclick, ...attributes }, label);
  // A bar of a share. The figure stands next to it, so it has no text of its own.
  const bar = (share) => {
    const part = element("i");
    part.style.width = `${100 * Math.min(Math.max(share || 0, 0), 1)}%`;
    return element("span", { class: "share", "aria-hidden": "true" }, part);
  };
  // A list with a label. `options` are pairs of value and text.
  const choice = (label, options, value, onchange) => {
    const list = element("select", { onchange: () => onchange(list.value) });
    for (const [key, text] of options) list.append(element("option", { value: key }, text));
    list.value = value;
    return element("label", { class: "field" }, element("span", {}, label), list);
  };
  // Calls `changed` with the width of an element in whole pixels: now, if it has one, and after each change.
  // Reading it while a redraw writes would lay out the page several times.
  const watchWidth = (watched, changed) => {
    let width = 0;
    new ResizeObserver(([entry]) => {
      const now = Math.floor(entry.contentRect.width);
      if (now > 0 && now !== width) changed((width = now));
    }).observe(watched);
    width = Math.floor(watched.clientWidth);
    if (width > 0) changed(width);
  };
  // The width of a text in pixels, in a font as CSS names it.
  const pen = document.createElement("canvas").getContext("2d");
  const widthOf = (text, font) => {
    pen.font = font;
    return pen.measureText(text).width;
  };
  return { element, svg, code, breakNames, button, bar, choice, watchWidth, widthOf };
})();

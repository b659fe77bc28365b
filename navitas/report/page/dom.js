"use strict";
// Makes elements. All text goes in as text, so that names of the measured app can't become markup.
const dom = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  // Where a long name may continue on the next line: after a separator, and before a capital that follows a small letter.
  const BREAKS = /(?<=[.$/:_#,])(?=.)|(?<=[\p{Ll}\d])(?=\p{Lu})|(?=\()/u;

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

  // A name in a monospaced font, which breaks between its words only.
  const code = (name) => {
    const made = element("code");
    name.split(BREAKS).forEach((part, index) => {
      if (index) made.append(element("wbr"));
      made.append(part);
    });
    return made;
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
  return { element, svg, code, button, bar, choice };
})();

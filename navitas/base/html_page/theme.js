"use strict";
// The color scheme: the system's, light or dark. The browser keeps the choice if it lets pages store something.
const theme = (() => {
  const KEY = "navitas-theme";
  const root = document.documentElement;
  root.dataset.script = "on";

  const stored = () => {
    try {
      return localStorage.getItem(KEY) || "auto";
    } catch {
      return "auto";
    }
  };
  const apply = (value) => {
    if (value === "light" || value === "dark") root.dataset.theme = value;
    else delete root.dataset.theme;
  };
  apply(stored());

  // Adds the switch to `tools`. `changed` runs after each change of colors, also the system's.
  const start = (tools, changed) => {
    const options = [
      ["auto", "System"],
      ["light", "Light"],
      ["dark", "Dark"],
    ];
    tools.append(
      dom.choice("Colors", options, root.dataset.theme || "auto", (value) => {
        apply(value);
        try {
          localStorage.setItem(KEY, value);
        } catch {
          // The choice is then that of this view alone.
        }
        changed();
      })
    );
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  };
  return { start };
})();

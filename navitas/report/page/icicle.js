"use strict";
// One flame graph on a canvas: width is energy with callees. It draws the rows in view, without frames below a pixel.
const icicle = (() => {
  const ROW = 20;
  const MAX_ROWS = 17;
  const LEAST = 1;
  const FONT = "12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";
  const COLORS = 7;
  const PADDING = 3; // pixels on each side of a name

  const css = (place, name) => {
    const probe = dom.element("i", { class: `paint ${name}`, hidden: true });
    place.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  const palette = (place) => ({
    frames: Array.from({ length: COLORS }, (_, number) => css(place, `frame-${number}`)),
    ...Object.fromEntries(
      ["plain", "ink", "paper", "focus", "hit", "more", "fewer"].map((name) => [name, css(place, `paint-${name}`)])
    ),
  });

  // `options`: label; isUpward: the root is at the bottom; colorOf(node): number or null; isHit(node); focused(node): a frame has
  // the focus or the pointer; chosen(node): Space on a frame.
  const create = (place, options) => {
    const canvas = dom.element("canvas", { "aria-hidden": "true" });
    const spacer = dom.element("div", { class: "spacer" }, canvas);
    const frame = dom.element(
      "div",
      { class: "icicle", tabindex: "0", role: "application", "aria-roledescription": "flame graph", "aria-label": options.label },
      spacer
    );
    const axis = dom.svg("svg", { class: "flame-axis", role: "img" });
    place.append(...(options.isUpward ? [frame] : [axis, frame]));
    const view = { tree: null, root: 0, focus: 0, rows: [], width: 0, scroll: 0, isDifference: false };
    let colors = null;
    let painting = 0;
    const character = dom.widthOf("m", FONT);

    const top = (depth) => (options.isUpward ? view.rows.length - 1 - depth : depth) * ROW;
    const place2d = () => {
      const height = Math.min(view.rows.length, MAX_ROWS) * ROW;
      frame.style.height = `${height + 2}px`;
      spacer.style.height = `${view.rows.length * ROW}px`;
      const scale = window.devicePixelRatio || 1;
      const [width, tall] = [Math.round(view.width * scale), Math.round(height * scale)];
      if (canvas.width !== width || canvas.height !== tall) {
        canvas.width = width;
        canvas.height = tall;
        canvas.style.width = `${view.width}px`;
        canvas.style.height = `${height}px`;
      }
      const context = canvas.getContext("2d");
      context.setTransform(scale, 0, 0, scale, 0, 0);
      return { context, height };
    };
    const fillOf = (node) => {
      const color = options.colorOf(node);
      return color === null || view.isDifference ? colors.plain : colors.frames[color % COLORS];
    };
    const paint = () => {
      painting = 0;
      colors ??= palette(place);
      const { context, height } = place2d();
      const { tree } = view;
      context.clearRect(0, 0, view.width, height);
      context.font = FONT;
      context.textBaseline = "middle";
      const { scroll } = view;
      view.rows.forEach((row, depth) => {
        const y = top(depth) - scroll;
        if (y < -ROW || y > height) return;
        for (const { node, x, width } of row) {
          const drawn = Math.max(width - 0.5, 0.6);
          context.fillStyle = fillOf(node);
          context.fillRect(x, y, drawn, ROW - 1);
          if (view.isDifference && tree.base) {
            const change = tree.inclusive[node] - tree.base[node];
            context.globalAlpha = Math.min(Math.abs(change) / Math.max(tree.inclusive[node], tree.base[node], 1e-9), 1) * 0.9;
            context.fillStyle = change > 0 ? colors.more : colors.fewer;
            context.fillRect(x, y, drawn, ROW - 1);
            context.globalAlpha = 1;
          }
          if (options.isHit(node)) {
            context.fillStyle = colors.hit;
            context.fillRect(x, y + ROW - 5, drawn, 4);
          }
          const most = Math.floor((drawn - 2 * PADDING) / character);
          if (most >= 3) {
            const name = shortened(tree.name(node), most);
            context.fillStyle = colors.ink;
            if (name) context.fillText(name, x + PADDING, y + ROW / 2);
          }
          if (node === view.focus) {
            context.strokeStyle = colors.focus;
            context.lineWidth = 2;
            context.strokeRect(x + 1, y + 1, Math.max(drawn - 2, 1), ROW - 3);
          }
        }
      });
    };
    const repaint = () => {
      painting ||= requestAnimationFrame(paint);
    };
    const drawAxis = () => {
      if (options.isUpward) return;
      const most = Math.max(view.tree.inclusive[view.root], 0) / 1e6;
      const [factor, prefix] = units.axisUnit(most);
      axis.setAttribute("viewBox", `0 0 ${view.width} 30`);
      axis.setAttribute("height", 30);
      axis.setAttribute("aria-label", `Energy axis from 0 to ${units.energy(most * 1e6)}`);
      const ticks = most > 0 ? units.ticks(0, most / factor, view.width / 90) : [];
      axis.replaceChildren(
        ...ticks.flatMap((tick) => {
          const x = ((tick * factor) / most) * view.width;
          const anchor = tick === 0 ? "start" : x > view.width - 24 ? "end" : "middle";
          return [
            dom.svg("line", { x1: x, x2: x, y1: 24, y2: 30 }),
            dom.svg("text", { class: "tick", x, y: 21, "text-anchor": anchor }, String(tick)),
          ];
        }),
        dom.svg("text", { class: "axis", x: 0, y: 9 }, `Inclusive energy, ${prefix}J`)
      );
    };
    const draw = () => {
      if (!view.width) return; // hidden: drawn when it has a width
      view.rows = callTrees.layout(view.tree, view.root, view.width, LEAST);
      if (!find(view.focus)) view.focus = view.root;
      drawAxis();
      paint();
      if (options.isUpward && view.rows.length > MAX_ROWS) frame.scrollTop = frame.scrollHeight;
    };
    const find = (node) => {
      for (let depth = 0; depth < view.rows.length; depth++) {
        const index = view.rows[depth].findIndex((drawn) => drawn.node === node);
        if (index >= 0) return { depth, index };
      }
      return null;
    };
    const hit = (event) => {
      const box = canvas.getBoundingClientRect();
      const shownRow = Math.floor((event.clientY - box.top + frame.scrollTop) / ROW);
      const row = view.rows[options.isUpward ? view.rows.length - 1 - shownRow : shownRow] ?? [];
      const x = event.clientX - box.left;
      return row.find((drawn) => drawn.x <= x && x < drawn.x + drawn.width)?.node ?? null;
    };
    const focus = (node) => {
      view.focus = node;
      const { depth } = find(node);
      const y = top(depth);
      if (y < frame.scrollTop) frame.scrollTop = y;
      if (y + ROW > frame.scrollTop + frame.clientHeight) frame.scrollTop = y + ROW - frame.clientHeight;
      repaint();
      options.focused(node);
    };
    const enlarge = (node) => {
      view.root = node;
      view.focus = node;
      draw();
      options.focused(node);
    };
    const move = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { depth, index } = find(view.focus) ?? { depth: 0, index: 0 };
      const inward = () => view.rows[depth + 1]?.find((drawn) => view.tree.parent[drawn.node] === view.focus);
      const outward = () => (depth ? { node: view.tree.parent[view.focus] } : null);
      const [down, up] = options.isUpward ? [outward, inward] : [inward, outward];
      const steps = {
        ArrowDown: down,
        ArrowUp: up,
        ArrowLeft: () => view.rows[depth][index - 1],
        ArrowRight: () => view.rows[depth][index + 1],
        Home: () => view.rows[0][0],
        Enter: () => void enlarge(view.focus),
        Escape: () => void enlarge(0),
        " ": () => void options.chosen(view.focus),
      };
      if (!(event.key in steps)) return;
      event.preventDefault();
      const next = steps[event.key]();
      if (next) focus(next.node);
    };
    frame.addEventListener("keydown", move);
    frame.addEventListener("focus", () => view.tree && options.focused(view.focus));
    frame.addEventListener("scroll", () => {
      view.scroll = frame.scrollTop;
      repaint();
    });
    dom.watchWidth(frame, (width) => {
      view.width = width;
      if (view.tree) draw();
    });
    canvas.addEventListener("click", (event) => {
      const node = hit(event);
      if (node !== null) enlarge(node);
    });
    canvas.addEventListener("pointermove", (event) => {
      const node = hit(event);
      canvas.title = node === null ? "" : view.tree.name(node);
      if (node !== null) options.focused(node);
    });

    return {
      // Shows a tree. Nodes keep their numbers if `isSame`, so the enlarged one stays.
      show(tree, { isSame, isDifference }) {
        view.tree = tree;
        view.isDifference = isDifference;
        if (!isSame || !(callTrees.weight(tree, view.root) > 0)) view.root = view.focus = 0;
        draw();
      },
      recolor() {
        colors = null;
        if (view.tree) repaint();
      },
      reset: () => enlarge(0),
      get isEnlarged() {
        return view.root !== 0;
      },
    };
  };
  // The end of a name says most: `com.example.Inbox.pollAll` becomes `Inbox.pollAll`, `pollAll`, then `poll…`.
  const shortened = (name, most) => {
    if (name.length <= most) return name;
    const words = name.split(".");
    const fitting = [words.slice(-2).join("."), words.at(-1)].find((tail) => tail.length <= most);
    return fitting ?? (most >= 5 ? `${words.at(-1).slice(0, most - 1)}…` : "");
  };
  return { create };
})();

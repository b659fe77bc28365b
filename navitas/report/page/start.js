"use strict";
// Starts all parts, and redraws them when the selection changes.
(() => {
  const byId = (id) => document.getElementById(id);
  performance.mark("start");
  for (const part of document.querySelectorAll("header, main, footer")) dom.breakNames(part);
  tables.start();
  const embedded = byId("page-data");
  if (!embedded) {
    theme.start(byId("tools"), () => {});
    document.documentElement.dataset.page = "ready";
    return;
  }
  const data = pageData.read(embedded.textContent);
  embedded.remove();
  const draws = [
    filters.start(byId("filters"), data, () => figures.compute(data, selection.state)),
    methodTables.start(data),
    timeline.start(byId("timeline"), data),
    flame.start(byId("flame"), data),
    callTree.start(byId("tree"), data),
  ];
  for (const id of ["filters", "when", "how"]) byId(id).hidden = false;
  const recolor = draws[3].recolor;
  theme.start(byId("tools"), recolor);
  selection.subscribe((state) => {
    performance.mark("change");
    const result = figures.compute(data, state);
    result.tree = callTrees.fromTop(data, result);
    for (const draw of draws) draw(state, result);
    performance.measure("redraw", "change");
  });
  selection.start((state) => pageData.fit(data, state));
  performance.measure("open", "start");
  document.documentElement.dataset.page = "ready";
})();

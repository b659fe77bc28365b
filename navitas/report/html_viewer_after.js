"use strict";
// Passes the page's data to the viewer as if the user had chosen a file. Notifies the page when the graph is drawn.
(() => {
  const report = (state) => parent.postMessage(state, "*");
  const drawn = () => !document.getElementById("file") && document.querySelectorAll("canvas").length > 1;
  if (!document.createElement("canvas").getContext("webgl")) {
    report("no-webgl");
    return;
  }
  addEventListener("message", function receive(event) {
    if (event.source !== parent) return;
    removeEventListener("message", receive);
    const input = document.getElementById("file");
    if (!input) {
      report("failed");
      return;
    }
    const chosen = new DataTransfer();
    chosen.items.add(new File([event.data], "navitas.speedscope.json", { type: "application/json" }));
    new MutationObserver((_, observer) => {
      if (!drawn()) return;
      observer.disconnect();
      report("drawn");
    }).observe(document.body, { childList: true, subtree: true });
    input.files = chosen.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  report("ready");
})();

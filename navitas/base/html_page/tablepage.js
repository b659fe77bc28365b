"use strict";
// Starts a page whose only parts with scripts are its tables.
(() => {
  tables.start();
  theme.start(document.getElementById("tools"), () => {});
  document.documentElement.dataset.page = "ready";
})();

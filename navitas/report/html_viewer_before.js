"use strict";
// The frame has an origin of its own, without storage: the viewer keeps its choice of colors here.
Object.defineProperty(window, "localStorage", { value: {} });

"use strict";
// The frame has an opaque origin, which has no storage. The viewer stores its color scheme in this object.
Object.defineProperty(window, "localStorage", { value: {} });

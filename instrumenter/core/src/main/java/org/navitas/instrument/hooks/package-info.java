/** Replaces calls of the platform by hooks, and adds callbacks. */
package org.navitas.instrument.hooks;

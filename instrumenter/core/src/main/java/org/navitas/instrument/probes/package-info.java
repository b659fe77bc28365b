/** Adds probes to the code of methods: calls of the runtime, or counters of blocks. */
package org.navitas.instrument.probes;

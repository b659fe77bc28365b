/** Removes or repeats the code of blocks before classes get probes. */
package org.navitas.instrument.edits;

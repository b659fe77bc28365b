/** Instruments folders and jars together: inputs, numbering, outputs, and the state for the next run. */
package org.navitas.instrument.run;

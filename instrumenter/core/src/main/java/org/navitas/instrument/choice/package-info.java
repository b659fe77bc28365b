/** Chooses the classes and methods that get probes, and the kind of probes. */
package org.navitas.instrument.choice;

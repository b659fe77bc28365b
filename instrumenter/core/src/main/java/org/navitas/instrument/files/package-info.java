/** Files, jars and paths of inputs and outputs, and errors that name them. */
package org.navitas.instrument.files;

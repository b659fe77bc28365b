/** Instruments one class file: bytes and options in, bytes and methods out. */
package org.navitas.instrument.classes;

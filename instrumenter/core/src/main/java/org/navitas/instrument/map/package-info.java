/** The method map: ids of methods, read and written. */
package org.navitas.instrument.map;

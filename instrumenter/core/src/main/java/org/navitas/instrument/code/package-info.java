/** Reads class files and the code of methods: instructions, blocks, loops, types. */
package org.navitas.instrument.code;

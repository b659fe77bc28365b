package org.navitas.instrument;

import javassist.bytecode.BadBytecode;
import javassist.bytecode.MethodInfo;

/** Adds the probes of one kind to methods of one class. Its constructor adds all constants except the methods' ids. */
interface CodeProbes {
  /**
   * Instruments one method, or leaves it unchanged. Adds nothing to the constant pool.
   *
   * @param scan the method's instructions
   * @param id constant pool index of the Integer constant with the method's id
   * @return null, or the reason why it is skipped
   * @throws MalformedClassException if its code cannot be parsed
   */
  String add(MethodInfo method, CodeScan scan, int id) throws MalformedClassException, BadBytecode;
}

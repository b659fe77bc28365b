package org.navitas.instrument.probes;

import javassist.bytecode.BadBytecode;
import javassist.bytecode.MethodInfo;
import org.navitas.instrument.code.CodeScan;
import org.navitas.instrument.code.MalformedClassException;

/** Adds the probes of one kind to methods of one class. Its constructor adds all constants except the methods' ids. */
public interface CodeProbes {
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

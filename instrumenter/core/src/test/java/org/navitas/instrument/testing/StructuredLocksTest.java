package org.navitas.instrument.testing;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import org.jf.dexlib2.Opcode;
import org.jf.dexlib2.builder.Label;
import org.jf.dexlib2.builder.MethodImplementationBuilder;
import org.jf.dexlib2.builder.instruction.BuilderInstruction10t;
import org.jf.dexlib2.builder.instruction.BuilderInstruction10x;
import org.jf.dexlib2.builder.instruction.BuilderInstruction11x;
import org.jf.dexlib2.builder.instruction.BuilderInstruction12x;
import org.jf.dexlib2.builder.instruction.BuilderInstruction21t;
import org.jf.dexlib2.builder.instruction.BuilderInstruction23x;
import org.junit.Test;

/** Locks that ART's verifier accepts, and those that it does not. v0 and v1 are objects, v2 and v3 numbers. */
public class StructuredLocksTest {
    private final MethodImplementationBuilder code = new MethodImplementationBuilder(5);

    @Test
    public void synchronizedBlock() {
        synchronizedBlock(true, 0);
        assertNull(fault());
    }

    @Test
    public void lockHeldByAMethodThatCanThrow() {
        synchronizedBlock(false, 0);
        assertFault("can throw with a lock held");
    }

    @Test
    public void otherObjectReleased() {
        synchronizedBlock(true, 1);
        assertFault("releases another lock");
    }

    @Test
    public void copiesOfTheObjectReleaseIt() {
        enter(0);
        code.addInstruction(new BuilderInstruction12x(Opcode.MOVE_OBJECT, 1, 0));
        exit(1);
        end();
        assertNull(fault());
    }

    @Test
    public void lostObject() {
        enter(0);
        code.addInstruction(new BuilderInstruction12x(Opcode.MOVE_OBJECT, 0, 1));
        exit(0);
        end();
        assertFault("releases another lock");
    }

    @Test
    public void wrongOrder() {
        enter(0);
        enter(1);
        exit(0);
        exit(1);
        end();
        assertFault("can throw with a lock held"); // the second lock
    }

    @Test
    public void neverReleased() {
        enter(0);
        end();
        assertFault("returns with a lock held");
    }

    @Test
    public void neverTaken() {
        exit(0);
        end();
        assertFault("does not hold");
    }

    @Test
    public void takenOnOneOfTwoPaths() {
        Label meet = code.getLabel("meet");
        code.addInstruction(new BuilderInstruction21t(Opcode.IF_EQZ, 2, meet));
        enter(0);
        code.addLabel("meet");
        end();
        assertFault("locks, which depends");
    }

    @Test
    public void moreThanTheVerifierFollows() {
        LockLine line = new LockLine(1);
        for (int i = 0; i < LockLine.MOST; i++) {
            assertNull(line.enter(0));
        }
        assertEquals("holds more than 32 locks", line.enter(0));
    }

    @Test
    public void takenAgainInALoop() {
        code.addLabel("again");
        enter(0);
        code.addInstruction(new BuilderInstruction10t(Opcode.GOTO, code.getLabel("again")));
        assertFault("locks, which depends");
    }

    /** A block that divides, which can throw, and a handler that releases a register. */
    private void synchronizedBlock(boolean handled, int released) {
        enter(0);
        code.addLabel("start");
        code.addInstruction(new BuilderInstruction23x(Opcode.DIV_INT, 2, 2, 3));
        code.addLabel("end");
        exit(0);
        end();
        code.addLabel("handler");
        code.addInstruction(new BuilderInstruction11x(Opcode.MOVE_EXCEPTION, 4));
        exit(released);
        code.addInstruction(new BuilderInstruction11x(Opcode.THROW, 4));
        if (handled) {
            code.addCatch(code.getLabel("start"), code.getLabel("end"), code.getLabel("handler"));
        }
    }

    private void enter(int register) {
        code.addInstruction(new BuilderInstruction11x(Opcode.MONITOR_ENTER, register));
    }

    private void exit(int register) {
        code.addInstruction(new BuilderInstruction11x(Opcode.MONITOR_EXIT, register));
    }

    private void end() {
        code.addInstruction(new BuilderInstruction10x(Opcode.RETURN_VOID));
    }

    private String fault() {
        return StructuredLocks.fault("m", code.getMethodImplementation());
    }

    private void assertFault(String part) {
        String fault = fault();
        assertTrue(fault, fault != null && fault.contains(part));
    }
}

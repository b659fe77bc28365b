package org.navitas.instrument.probes;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Instructions to insert into a method's code. */
final class CodeInsertions {
    /** Code after the method's: a detour of a jump, or a handler of exceptions that rethrows them. */
    static final class Stub {
        /** The offsets of the jump and of its target; -1 for a handler. */
        final int jump;

        final int target;
        /** The start and end of what a handler covers. */
        final int start;

        final int end;
        final byte[] code;

        private Stub(int jump, int target, int start, int end, byte[] code) {
            this.jump = jump;
            this.target = target;
            this.start = start;
            this.end = end;
            this.code = code;
        }

        boolean isHandler() {
            return target < 0;
        }
    }

    private final byte[] prologue;
    /** By offset. */
    private final Map<Integer, ByteArrayOutputStream> falling = new TreeMap<>();

    private final Map<Integer, ByteArrayOutputStream> entered = new TreeMap<>();
    private final List<Stub> stubs = new ArrayList<>();

    /** Starts with what runs before all else. No jump leads to it, and no handler covers it. */
    CodeInsertions(byte[] prologue) {
        this.prologue = prologue;
    }

    /** Inserts code at an instruction. Jumps to the instruction lead to it. */
    void at(int pc, byte[] code) {
        write(entered, pc, code);
    }

    /** Inserts code that runs only if what is before the instruction goes on with it. */
    void falling(int pc, byte[] code) {
        write(falling, pc, code);
    }

    /** Lets a jump, or a switch, run code on its way to a target. */
    void detour(int jump, int target, byte[] code) {
        stubs.add(new Stub(jump, target, -1, -1, code));
    }

    /** Adds a handler of all exceptions that no other handler catches. Its code has to throw them again. */
    void handler(int start, int end, byte[] code) {
        stubs.add(new Stub(-1, -1, start, end, code));
    }

    private static void write(Map<Integer, ByteArrayOutputStream> places, int pc, byte[] code) {
        places.computeIfAbsent(pc, each -> new ByteArrayOutputStream()).write(code, 0, code.length);
    }

    byte[] prologue() {
        return prologue;
    }

    byte[] at(int pc) {
        return entered.containsKey(pc) ? entered.get(pc).toByteArray() : new byte[0];
    }

    byte[] falling(int pc) {
        return falling.containsKey(pc) ? falling.get(pc).toByteArray() : new byte[0];
    }

    List<Stub> stubs() {
        return stubs;
    }
}

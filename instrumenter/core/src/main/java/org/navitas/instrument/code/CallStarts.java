package org.navitas.instrument.code;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.MethodInfo;

/** The points of one method where calls begin, and the code that runs within calls. */
public final class CallStarts {
    /** The probe that a call begins with. */
    public enum Kind {
        ENTER,
        RESUME,
        /** Depends on an int field of {@code this}: enter if it is 0, otherwise resume. */
        BY_LABEL
    }

    /** A code offset for a probe. */
    public static final class Place {
        public final int pc;
        public final Kind kind;
        /** Whether branches to this offset run the probe; otherwise only the preceding instruction leads to it. */
        public final boolean forBranches;

        Place(int pc, Kind kind, boolean forBranches) {
            this.pc = pc;
            this.kind = kind;
            this.forBranches = forBranches;
        }
    }

    /** Offsets for entry probes, ascending. */
    public final List<Place> places;
    /** Code whose exceptions end the call, as {start, end} pairs in ascending order. */
    public final List<int[]> covered;
    /** Constant pool index of the label's Fieldref; 0 if no place is {@link Kind#BY_LABEL}. */
    public final int label;

    private CallStarts(List<Place> places, List<int[]> covered, int label) {
        this.places = places;
        this.covered = covered;
        this.label = label;
    }

    /**
     * Finds the places; returns null if a constructor calls no other one or is invalid.
     *
     * @param file the method's class
     */
    public static CallStarts of(MethodInfo method, CodeScan scan, ClassFile file) throws MalformedClassException {
        CodeAttribute code = method.getCodeAttribute();
        if (method.isConstructor()) {
            ConstructorFlow flow = ConstructorFlow.of(code, scan);
            if (flow == null) {
                return null;
            }
            List<Place> places = new ArrayList<>();
            for (int call : flow.calls) {
                places.add(new Place(scan.next(call), Kind.ENTER, false));
            }
            return new CallStarts(places, flow.after(), 0);
        }
        SuspendFunction suspend = SuspendFunction.of(method, scan);
        if (suspend != null) {
            List<Place> places = new ArrayList<>();
            places.add(new Place(suspend.resumed, Kind.RESUME, true));
            places.add(new Place(suspend.fresh, Kind.ENTER, true));
            List<int[]> covered = new ArrayList<>();
            covered.add(new int[] {suspend.resumed, suspend.fresh});
            covered.add(new int[] {suspend.fresh, code.getCodeLength()});
            return new CallStarts(places, covered, 0);
        }
        boolean lambda = SuspendFunction.isLambda(file)
                && SuspendFunction.isInvokeSuspend(method.getName(), method.getDescriptor());
        int label = lambda ? SuspendFunction.labelOf(file, scan) : 0;
        Place start = new Place(0, label == 0 ? Kind.ENTER : Kind.BY_LABEL, false);
        return new CallStarts(
                Collections.singletonList(start),
                Collections.singletonList(new int[] {0, code.getCodeLength()}),
                label);
    }
}

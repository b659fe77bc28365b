package org.navitas.instrument;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.MethodInfo;

/** Where calls of one method begin, and the code that runs within them. */
final class Entries {
  /** How a call is announced. */
  enum Kind {
    ENTER,
    RESUME,
    /** By the int field of {@code this}: 0 enters, all else resumes. */
    BY_LABEL
  }

  /** One place for a probe. */
  static final class Place {
    final int pc;
    final Kind kind;
    /** Whether branches to this place pass the probe; else only what falls into it does. */
    final boolean forBranches;

    Place(int pc, Kind kind, boolean forBranches) {
      this.pc = pc;
      this.kind = kind;
      this.forBranches = forBranches;
    }
  }

  /** Ascending. */
  final List<Place> places;
  /** Code that an exception may leave, as {start, end} in ascending order. */
  final List<int[]> covered;
  /** The Fieldref of the label; 0 unless there is a place {@link Kind#BY_LABEL}. */
  final int label;

  private Entries(List<Place> places, List<int[]> covered, int label) {
    this.places = places;
    this.covered = covered;
    this.label = label;
  }

  /**
   * Finds them; null when a constructor calls no other one, or does what no constructor may.
   *
   * @param superclass of the method's class, dotted
   */
  static Entries of(MethodInfo method, CodeScan scan, String superclass) throws MalformedClassException {
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
      return new Entries(places, flow.after(), 0);
    }
    SuspendFunction suspend = SuspendFunction.of(code, scan);
    if (suspend != null) {
      List<Place> places = new ArrayList<>();
      places.add(new Place(suspend.resumed, Kind.RESUME, false));
      places.add(new Place(suspend.fresh, Kind.ENTER, true));
      List<int[]> covered = new ArrayList<>();
      covered.add(new int[] {suspend.resumed, suspend.fresh});
      covered.add(new int[] {suspend.fresh, code.getCodeLength()});
      return new Entries(places, covered, 0);
    }
    boolean lambda = SuspendFunction.isLambda(superclass)
        && SuspendFunction.isInvokeSuspend(method.getName(), method.getDescriptor());
    int label = lambda ? SuspendFunction.labelOf(scan, method.getConstPool()) : 0;
    Place start = new Place(0, label == 0 ? Kind.ENTER : Kind.BY_LABEL, false);
    return new Entries(Collections.singletonList(start), Collections.singletonList(new int[] {0, code.getCodeLength()}), label);
  }
}

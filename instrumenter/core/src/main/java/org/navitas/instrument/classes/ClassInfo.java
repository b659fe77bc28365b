package org.navitas.instrument.classes;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.navitas.instrument.choice.MethodChoice;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.map.MethodRef;

/** The result of instrumenting one class file. Depends only on its bytes, {@code Selection.rules} and its block edits. */
public final class ClassInfo {
    /** Fully qualified name, with dots. */
    public final String name;
    /** Source file, or null if the class file does not name one. */
    public final String file;
    /** Methods with probes, in the order of the class file. */
    public final List<MethodRef> methods;

    public final List<Skipped> skipped;
    /** Why the whole class is skipped, as text for a warning; null if it is not. */
    public final String problem;
    /** Whether the class calls hooks. */
    public final boolean hooked;
    /** The {@code BlockEdits.id} of the class, or null without edits. */
    public final String edits;

    public ClassInfo(
            String name, String file, List<MethodRef> methods, List<Skipped> skipped, String problem, boolean hooked) {
        this(name, file, methods, skipped, problem, hooked, null);
    }

    private ClassInfo(
            String name,
            String file,
            List<MethodRef> methods,
            List<Skipped> skipped,
            String problem,
            boolean hooked,
            String edits) {
        this.name = name;
        this.file = file;
        this.methods = methods;
        this.skipped = skipped;
        this.problem = problem;
        this.hooked = hooked;
        this.edits = edits;
    }

    /** Returns the same result for a class that was edited before. */
    ClassInfo edited(String id) {
        return new ClassInfo(name, file, methods, skipped, problem, hooked, id);
    }

    /** Creates the result for a class that is skipped as a whole. */
    public static ClassInfo untouched(String name, String reason, String problem) {
        return new ClassInfo(
                name,
                null,
                Collections.emptyList(),
                Collections.singletonList(new Skipped(null, reason)),
                problem,
                false);
    }

    /** Creates the result for a class without probes of which nothing is skipped. */
    static ClassInfo unprobed(String name, String file) {
        return new ClassInfo(name, file, Collections.emptyList(), Collections.emptyList(), null, false);
    }

    /** Returns whether the class differs from its original. */
    public boolean changed() {
        return hooked || edits != null || !methods.isEmpty();
    }

    /** Returns a choice that skips the same methods again. */
    public MethodChoice choice() {
        Map<String, String> reasons = new HashMap<>();
        for (Skipped each : skipped) {
            if (each.reason.equals(Skipped.TRIVIAL) || each.reason.equals(Skipped.EXCLUDED)) {
                reasons.put(each.method, each.reason);
            }
        }
        return (className, method, code) -> reasons.get(method.getName() + method.getDescriptor());
    }

    /** Returns the reason if the class is skipped as a whole, otherwise null. */
    public String untouchedReason() {
        return skipped.size() == 1 && skipped.get(0).method == null ? skipped.get(0).reason : null;
    }
}

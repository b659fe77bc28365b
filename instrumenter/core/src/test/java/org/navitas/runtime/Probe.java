package org.navitas.runtime;

import java.util.ArrayList;
import java.util.List;

/** A stub of the runtime that records the probes' calls in order. */
public final class Probe {
    private static final ThreadLocal<List<String>> EVENTS = ThreadLocal.withInitial(ArrayList::new);

    private Probe() {}

    public static void enter(int id) {
        EVENTS.get().add(">" + id);
    }

    public static void resume(int id) {
        EVENTS.get().add("+" + id);
    }

    public static void enter(int id, int state) {
        if (state == 0) {
            enter(id);
        } else {
            resume(id);
        }
    }

    public static void exit(int id) {
        EVENTS.get().add("<" + id);
    }

    public static void thrown(int id) {
        EVENTS.get().add("!" + id);
    }

    /**
     * Returns the calling thread's events since the last call: kind ({@code >}, {@code +}, {@code <} or {@code !}) and
     * id.
     */
    public static List<String> take() {
        List<String> taken = EVENTS.get();
        EVENTS.remove();
        return taken;
    }
}

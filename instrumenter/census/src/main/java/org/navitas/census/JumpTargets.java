package org.navitas.census;

import com.sun.source.tree.*;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Name;

/** The statements around the one that is walked, which a jump can leave, and whether the next one can run. */
final class JumpTargets {
    /** An enclosing statement that a jump can leave. */
    static final class Target {
        final Tree tree;
        final BlockTree finalizer;
        final boolean isMonitor;
        String label;
        boolean hasBreak;
        boolean hasContinue;
        int copies;

        Target(Tree tree, BlockTree finalizer, boolean isMonitor) {
            this.tree = tree;
            this.finalizer = finalizer;
            this.isMonitor = isMonitor;
        }
    }

    /** Whether the code that comes next can run; dead statements have no code. */
    boolean alive = true;
    /** The label of the next statement, or null. */
    String nextLabel;

    private final EventList events;
    private List<Target> entered = new ArrayList<>();

    JumpTargets(EventList events) {
        this.events = events;
    }

    /** Enters a loop, a switch or a labelled statement. */
    Target enter(Tree tree) {
        Target target = new Target(tree, null, false);
        target.label = nextLabel;
        nextLabel = null;
        return enter(target);
    }

    Target enter(Target target) {
        entered.add(target);
        return target;
    }

    /** Leaves the innermost statement; what follows is another region. */
    void exit() {
        remove();
        events.newRegion();
    }

    void remove() {
        entered.remove(entered.size() - 1);
    }

    void dead() {
        alive = false;
        events.newRegion();
    }

    /** Returns the entered statements, outermost first. */
    List<Target> all() {
        return entered;
    }

    /** Walks as if only the outermost {@code count} statements were entered: a finally block is outside of its own try. */
    void within(int count, Runnable walk) {
        List<Target> all = entered;
        entered = new ArrayList<>(all.subList(0, count));
        walk.run();
        entered = all;
    }

    /** Returns the number of statements around the one that a break or continue leaves, or -1. */
    int find(Name label, boolean isBreak) {
        int at = entered.size() - 1;
        while (at >= 0 && !matches(entered.get(at), label, isBreak)) {
            at--;
        }
        return at;
    }

    private static boolean matches(Target target, Name label, boolean isBreak) {
        if (label != null) {
            return label.contentEquals(target.label == null ? "" : target.label);
        }
        boolean isLoop = target.tree instanceof WhileLoopTree
                || target.tree instanceof DoWhileLoopTree
                || target.tree instanceof ForLoopTree
                || target.tree instanceof EnhancedForLoopTree;
        return isLoop || isBreak && target.tree instanceof SwitchTree;
    }
}

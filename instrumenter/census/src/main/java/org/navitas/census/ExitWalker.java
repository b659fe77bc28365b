package org.navitas.census;

import com.sun.source.tree.*;
import java.util.List;
import javax.lang.model.element.Name;

/**
 * Walks jumps, and the statements that end when a jump leaves them: try, whose finally block is copied before each
 * exit, and synchronized.
 */
final class ExitWalker {
    private final MethodWalker statements;
    private final SourceClass owner;
    private final EventList events;
    private final ExpressionWalker expressions;
    private final JumpTargets targets;

    ExitWalker(
            MethodWalker statements,
            SourceClass owner,
            EventList events,
            ExpressionWalker expressions,
            JumpTargets targets) {
        this.statements = statements;
        this.owner = owner;
        this.events = events;
        this.expressions = expressions;
        this.targets = targets;
    }

    /** Walks a break or a continue. */
    void leave(Name label, boolean isBreak) {
        int at = targets.find(label, isBreak);
        if (at >= 0) {
            finalizers(at + 1);
            if (isBreak) {
                targets.all().get(at).hasBreak = true;
            } else {
                targets.all().get(at).hasContinue = true;
            }
        }
        targets.dead();
    }

    /** Adds the copies of finally blocks that a jump runs, innermost first. */
    private void finalizers(int from) {
        List<JumpTargets.Target> all = targets.all();
        for (int i = all.size() - 1; i >= from && targets.alive; i--) {
            if (all.get(i).finalizer != null) {
                JumpTargets.Target target = all.get(i);
                targets.within(i, () -> finalizer(target));
            }
        }
    }

    private void finalizer(JumpTargets.Target target) {
        boolean copy = target.copies++ > 0;
        events.newRegion();
        events.enterFinally(copy);
        statements.statement(target.finalizer);
        events.leaveFinally();
    }

    void returns(ReturnTree tree) {
        events.lines(tree, tree);
        if (tree.getExpression() != null) {
            expressions.value(tree.getExpression());
            if (targets.all().stream().anyMatch(each -> each.finalizer != null || each.isMonitor)) {
                String type = expressions.returned(tree);
                events.optional(AssignmentWalker.store(type));
            }
        }
        finalizers(0);
        if (targets.alive) {
            events.lines(tree, tree);
            events.optional("return");
        }
        targets.dead();
    }

    void tryOf(TryTree tree) {
        BlockTree last = tree.getFinallyBlock();
        JumpTargets.Target target = targets.enter(new JumpTargets.Target(tree, last, false));
        for (Tree resource : tree.getResources()) {
            if (!(resource instanceof VariableTree)) {
                throw new SourceTypes.Unusable(
                        "line " + owner.firstLine(resource) + " has a resource without a declaration");
            }
            statements.statement((VariableTree) resource);
        }
        statements.statement(tree.getBlock());
        if (!tree.getResources().isEmpty()) {
            events.newRegion();
            for (Tree resource : tree.getResources()) {
                events.lines(resource, resource);
                for (int i = 0; i < 4; i++) {
                    events.optional("store:A"); // hidden exceptions of javac, which depend on its version
                }
            }
        }
        boolean ends = endOfPart(target);
        for (CatchTree each : tree.getCatches()) {
            targets.alive = true;
            events.newRegion();
            events.lines(each, each.getParameter());
            events.add("store:A", "Block Goto_try");
            statements.statement(each.getBlock());
            ends |= endOfPart(target);
        }
        targets.remove();
        if (last != null) {
            targets.alive = true;
            if (!last.getStatements().isEmpty()) {
                events.lines(last.getStatements().get(0), last.getStatements().get(0));
                events.newRegion();
                events.optional("store:A");
            }
            finalizer(target);
        }
        targets.alive = ends;
        events.newRegion();
    }

    /** Ends the block of a try or catch with its finally block. Returns whether code after the statement can run. */
    private boolean endOfPart(JumpTargets.Target target) {
        if (targets.alive && target.finalizer != null) {
            targets.within(targets.all().size() - 1, () -> finalizer(target));
        }
        return targets.alive;
    }

    void synchronizedOn(SynchronizedTree tree) {
        events.lines(tree, tree.getExpression());
        expressions.value(tree.getExpression());
        events.silent("store:A");
        targets.enter(new JumpTargets.Target(tree, null, true));
        statements.statement(tree.getBlock());
        targets.exit();
    }
}

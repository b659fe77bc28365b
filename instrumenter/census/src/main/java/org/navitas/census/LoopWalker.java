package org.navitas.census;

import com.sun.source.tree.*;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;

/** Walks loops. A foreach has hidden variables. */
final class LoopWalker {
    private final MethodWalker statements;
    private final SourceTypes types;
    private final EventList events;
    private final ExpressionWalker expressions;
    private final JumpTargets targets;

    LoopWalker(
            MethodWalker statements,
            SourceTypes types,
            EventList events,
            ExpressionWalker expressions,
            JumpTargets targets) {
        this.statements = statements;
        this.types = types;
        this.events = events;
        this.expressions = expressions;
        this.targets = targets;
    }

    private static boolean isTrue(Boolean constant) {
        return constant != null && constant;
    }

    void whileLoop(WhileLoopTree tree) {
        JumpTargets.Target target = targets.enter(tree);
        Boolean constant = types.constant(tree.getCondition());
        events.newRegion();
        events.lines(tree, tree.getCondition());
        loopCondition("Block Goto_while", tree.getCondition(), constant);
        statements.statement(tree.getStatement());
        targets.alive = !isTrue(constant) || target.hasBreak;
        targets.exit();
    }

    /** Walks a condition before the body. Without one, each start of the body counts. */
    private void loopCondition(String operation, ExpressionTree condition, Boolean constant) {
        if (condition == null || isTrue(constant)) {
            events.floating(operation);
            return;
        }
        events.pend(operation);
        expressions.condition(condition);
        targets.alive = constant == null;
        events.newRegion();
    }

    void doLoop(DoWhileLoopTree tree) {
        JumpTargets.Target target = targets.enter(tree);
        Boolean constant = types.constant(tree.getCondition());
        events.newRegion();
        statements.statement(tree.getStatement());
        targets.alive |= target.hasContinue;
        if (target.hasContinue) {
            events.newRegion();
        }
        if (targets.alive) {
            events.lines(tree.getCondition(), tree.getCondition());
            if (constant == null) {
                events.pend("Block Goto_do");
                expressions.condition(tree.getCondition());
            } else {
                events.floating("Block Goto_do");
            }
        }
        targets.alive = targets.alive && !isTrue(constant) || target.hasBreak;
        targets.exit();
    }

    void forLoop(ForLoopTree tree) {
        tree.getInitializer().forEach(statements::statement);
        JumpTargets.Target target = targets.enter(tree);
        ExpressionTree condition = tree.getCondition();
        Boolean constant = condition == null ? Boolean.TRUE : types.constant(condition);
        events.newRegion();
        events.lines(condition == null ? tree : condition, condition);
        loopCondition("Block Goto_for", condition, constant);
        statements.statement(tree.getStatement());
        targets.alive |= target.hasContinue;
        events.newRegion();
        tree.getUpdate().forEach(statements::statement);
        targets.alive = !isTrue(constant) || target.hasBreak;
        targets.exit();
    }

    void forEach(EnhancedForLoopTree tree) {
        VariableTree variable = tree.getVariable();
        events.lines(tree, tree.getExpression());
        expressions.value(tree.getExpression());
        TypeMirror over = types.type(tree.getExpression());
        String type = SourceTypes.variable(types.element(variable).asType());
        String element = "Object";
        events.silent("store:A");
        if (over.getKind() == TypeKind.ARRAY) {
            element = SourceTypes.variable(((ArrayType) over).getComponentType());
            events.silent("store:I");
            events.silent("store:I");
        }
        JumpTargets.Target target = targets.enter(tree);
        events.newRegion();
        events.lines(tree, tree.getExpression());
        events.add("jump", "Block Goto_foreach");
        events.newRegion();
        events.add(AssignmentWalker.store(type), "Declaration_" + type, "Assign_" + type + '_' + element);
        statements.statement(tree.getStatement());
        if (over.getKind() == TypeKind.ARRAY && (targets.alive || target.hasContinue)) {
            events.newRegion();
            events.lines(tree, tree.getExpression());
            events.silent("iinc");
        }
        targets.alive = true;
        targets.exit();
    }
}

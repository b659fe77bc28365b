package org.navitas.census;

import com.sun.source.tree.*;
import com.sun.source.util.TreePath;
import java.util.List;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.VariableElement;

/**
 * Walks the statements of one method in the order in which javac generates their code, and adds their events.
 *
 * <p>It follows com.sun.tools.javac.jvm.Gen and comp.Lower: dead statements have no code, a finally block is copied
 * before each exit, and foreach and switch on strings have hidden variables.
 */
final class MethodWalker {
    private final SourceClass owner;
    private final SourceTypes types;
    private final TreePath path;
    private final SourceMethod method;
    private final List<SourceMethod> methods;
    private final EventList events;
    private final ExpressionWalker expressions;
    private final JumpTargets targets;
    private final LoopWalker loops;
    private final ExitWalker exits;

    MethodWalker(SourceClass owner, SourceTypes types, TreePath path, SourceMethod method, List<SourceMethod> methods) {
        this.owner = owner;
        this.types = types;
        this.path = path;
        this.method = method;
        this.methods = methods;
        events = new EventList(owner, method.events);
        expressions = new ExpressionWalker(this, types, events);
        targets = new JumpTargets(events);
        loops = new LoopWalker(this, types, events, expressions, targets);
        exits = new ExitWalker(this, owner, events, expressions, targets);
    }

    void body(MethodTree tree, List<Tree> fields) {
        List<? extends StatementTree> statements = tree.getBody().getStatements();
        int at = 0;
        if (method.name.equals("<init>")) {
            boolean calls = !statements.isEmpty() && SourceClass.isConstructorCall(statements.get(0));
            if (calls) {
                statement(statements.get(0));
                at = 1;
            }
            if (!calls || !statements.get(0).toString().startsWith("this(")) {
                members(fields);
            }
        }
        statements.subList(at, statements.size()).forEach(this::statement);
        events.end();
    }

    /** Walks initialisers of fields, and initialiser blocks. */
    void members(List<Tree> members) {
        for (Tree member : members) {
            if (member instanceof BlockTree) {
                statement((BlockTree) member);
                continue;
            }
            VariableTree field = (VariableTree) member;
            VariableElement element = (VariableElement) types.element(field);
            boolean isStatic = element.getModifiers().contains(Modifier.STATIC);
            if (isStatic && element.getConstantValue() != null) {
                continue;
            }
            events.lines(field, field);
            expressions.value(field.getInitializer());
            events.add(
                    "put:" + field.getName(), assign(SourceTypes.variable(element.asType()), field.getInitializer()));
        }
        events.end();
    }

    void lambda(LambdaExpressionTree tree) {
        if (tree.getBody() instanceof ExpressionTree) {
            events.lines(tree.getBody(), tree.getBody());
            expressions.value((ExpressionTree) tree.getBody());
            events.add("return");
        } else {
            statement((StatementTree) tree.getBody());
        }
        events.end();
    }

    void lambdaIn(LambdaExpressionTree tree) {
        owner.lambda(path, tree, methods);
    }

    void classIn(ClassTree tree) {
        owner.read(new TreePath(path, tree));
    }

    private String assign(String to, ExpressionTree from) {
        return "Assign_" + to + '_' + types.name(from);
    }

    void statement(StatementTree tree) {
        if (tree instanceof ClassTree) {
            classIn((ClassTree) tree);
            return;
        }
        if (tree == null || !targets.alive) {
            return;
        }
        switch (tree.getKind()) {
            case BLOCK:
                ((BlockTree) tree).getStatements().forEach(this::statement);
                break;
            case EXPRESSION_STATEMENT:
                events.lines(tree, tree);
                expressions.value(((ExpressionStatementTree) tree).getExpression());
                break;
            case VARIABLE:
                variable((VariableTree) tree);
                break;
            case IF:
                branch((IfTree) tree);
                break;
            case WHILE_LOOP:
                loops.whileLoop((WhileLoopTree) tree);
                break;
            case DO_WHILE_LOOP:
                loops.doLoop((DoWhileLoopTree) tree);
                break;
            case FOR_LOOP:
                loops.forLoop((ForLoopTree) tree);
                break;
            case ENHANCED_FOR_LOOP:
                loops.forEach((EnhancedForLoopTree) tree);
                break;
            case LABELED_STATEMENT:
                labeled((LabeledStatementTree) tree);
                break;
            case SWITCH:
                switchOf((SwitchTree) tree);
                break;
            case BREAK:
                exits.leave(((BreakTree) tree).getLabel(), true);
                break;
            case CONTINUE:
                exits.leave(((ContinueTree) tree).getLabel(), false);
                break;
            case RETURN:
                exits.returns((ReturnTree) tree);
                break;
            case THROW:
                events.lines(tree, tree);
                expressions.value(((ThrowTree) tree).getExpression());
                targets.dead();
                break;
            case TRY:
                exits.tryOf((TryTree) tree);
                break;
            case SYNCHRONIZED:
                exits.synchronizedOn((SynchronizedTree) tree);
                break;
            case ASSERT:
                asserted((AssertTree) tree);
                break;
            case EMPTY_STATEMENT:
                break;
            default:
                throw new SourceTypes.Unusable(
                        "line " + owner.firstLine(tree) + " has a statement of a later Java (" + tree.getKind() + ")");
        }
    }

    private void variable(VariableTree tree) {
        VariableElement element = (VariableElement) types.element(tree);
        String type = SourceTypes.variable(element.asType());
        events.lines(tree, tree);
        if (tree.getInitializer() == null) {
            events.floating("Declaration_" + type);
        } else if (element.getConstantValue() != null) {
            events.optional(AssignmentWalker.store(type)); // a constant: the store is for debuggers only
        } else {
            expressions.value(tree.getInitializer());
            events.add(AssignmentWalker.store(type), "Declaration_" + type, assign(type, tree.getInitializer()));
        }
    }

    private void branch(IfTree tree) {
        events.lines(tree, tree.getCondition());
        Boolean constant = types.constant(tree.getCondition());
        if (constant != null) {
            expressions.condition(tree.getCondition());
            statement(constant ? tree.getThenStatement() : tree.getElseStatement());
            return;
        }
        events.pend("Block Goto_if");
        expressions.condition(tree.getCondition());
        events.newRegion();
        statement(tree.getThenStatement());
        boolean thenAlive = targets.alive;
        targets.alive = true;
        events.newRegion();
        statement(tree.getElseStatement());
        targets.alive |= thenAlive;
        events.newRegion();
    }

    private void labeled(LabeledStatementTree tree) {
        String label = tree.getLabel().toString();
        StatementTree inner = tree.getStatement();
        boolean loop = inner instanceof WhileLoopTree
                || inner instanceof DoWhileLoopTree
                || inner instanceof ForLoopTree
                || inner instanceof EnhancedForLoopTree
                || inner instanceof SwitchTree;
        targets.nextLabel = label;
        if (loop) {
            statement(inner);
            return;
        }
        JumpTargets.Target target = targets.enter(tree);
        statement(inner);
        targets.alive |= target.hasBreak;
        targets.exit();
    }

    private void switchOf(SwitchTree tree) {
        ExpressionTree selector = tree.getExpression();
        for (CaseTree each : tree.getCases()) {
            if (each.getStatements() == null) {
                throw new SourceTypes.Unusable("line " + owner.firstLine(each) + " has a case with an arrow");
            }
        }
        events.lines(tree, selector);
        expressions.value(selector);
        boolean strings = SourceTypes.isString(types.type(selector));
        int labels = 0;
        boolean hasDefault = false;
        for (CaseTree each : tree.getCases()) {
            hasDefault |= each.getExpression() == null;
            labels += each.getExpression() == null ? 0 : 1;
        }
        if (tree.getCases().isEmpty()) {
            events.floating("Block Goto_switch");
            return;
        }
        if (strings) {
            events.silent("store:A");
            events.silent("store:I");
        }
        events.add("switch", "Block Goto_switch");
        if (strings) {
            for (int i = 0; i < labels; i++) {
                events.newRegion();
                events.silent("jump");
                events.silent("store:I");
            }
            events.silent("switch");
        }
        JumpTargets.Target target = targets.enter(tree);
        targets.alive = false;
        for (CaseTree each : tree.getCases()) {
            targets.alive = true;
            events.newRegion();
            each.getStatements().forEach(this::statement);
        }
        targets.alive |= !hasDefault || target.hasBreak;
        targets.exit();
    }

    private void asserted(AssertTree tree) {
        events.lines(tree, tree);
        Boolean constant = types.constant(tree.getCondition());
        if (constant != null) {
            throw new SourceTypes.Unusable("an assertion is constant");
        }
        events.add("jump", "Block Goto_assert");
        events.newRegion();
        expressions.condition(tree.getCondition());
        events.newRegion();
        if (tree.getDetail() != null) {
            expressions.value(tree.getDetail());
        }
        events.newRegion();
    }
}

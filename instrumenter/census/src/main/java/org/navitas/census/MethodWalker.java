package org.navitas.census;

import com.sun.source.tree.*;
import com.sun.source.util.TreePath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;

/**
 * Walks the statements of one method in the order in which javac generates their code, and adds their events.
 *
 * <p>It follows com.sun.tools.javac.jvm.Gen and comp.Lower: dead statements have no code, a finally block is copied
 * before each exit, and foreach and switch on strings have hidden variables.
 */
final class MethodWalker {
    /** An enclosing statement that a jump can leave. */
    private static final class Target {
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

    private final SourceClass owner;
    private final SourceTypes types;
    private final TreePath path;
    private final SourceMethod method;
    private final List<SourceMethod> methods;
    private final EventList events;
    private final ExpressionWalker expressions;
    private List<Target> targets = new ArrayList<>();
    private boolean alive = true;
    private String nextLabel;

    MethodWalker(SourceClass owner, SourceTypes types, TreePath path, SourceMethod method, List<SourceMethod> methods) {
        this.owner = owner;
        this.types = types;
        this.path = path;
        this.method = method;
        this.methods = methods;
        events = new EventList(owner, method.events);
        expressions = new ExpressionWalker(this, types, events);
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
            boolean isStatic = element.getModifiers().contains(javax.lang.model.element.Modifier.STATIC);
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

    private void statement(StatementTree tree) {
        if (tree instanceof ClassTree) {
            classIn((ClassTree) tree);
            return;
        }
        if (tree == null || !alive) {
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
                whileLoop((WhileLoopTree) tree);
                break;
            case DO_WHILE_LOOP:
                doLoop((DoWhileLoopTree) tree);
                break;
            case FOR_LOOP:
                forLoop((ForLoopTree) tree);
                break;
            case ENHANCED_FOR_LOOP:
                forEach((EnhancedForLoopTree) tree);
                break;
            case LABELED_STATEMENT:
                labeled((LabeledStatementTree) tree);
                break;
            case SWITCH:
                switchOf((SwitchTree) tree);
                break;
            case BREAK:
                leave(((BreakTree) tree).getLabel(), true);
                break;
            case CONTINUE:
                leave(((ContinueTree) tree).getLabel(), false);
                break;
            case RETURN:
                returns((ReturnTree) tree);
                break;
            case THROW:
                events.lines(tree, tree);
                expressions.value(((ThrowTree) tree).getExpression());
                dead();
                break;
            case TRY:
                tryOf((TryTree) tree);
                break;
            case SYNCHRONIZED:
                synchronizedOn((SynchronizedTree) tree);
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

    private void dead() {
        alive = false;
        events.newRegion();
    }

    private void variable(VariableTree tree) {
        VariableElement element = (VariableElement) types.element(tree);
        String type = SourceTypes.variable(element.asType());
        events.lines(tree, tree);
        if (tree.getInitializer() == null) {
            events.floating("Declaration_" + type);
        } else if (element.getConstantValue() != null) {
            events.optional(ExpressionWalker.store(type)); // a constant: the store is for debuggers only
        } else {
            expressions.value(tree.getInitializer());
            events.add(ExpressionWalker.store(type), "Declaration_" + type, assign(type, tree.getInitializer()));
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
        boolean thenAlive = alive;
        alive = true;
        events.newRegion();
        statement(tree.getElseStatement());
        alive |= thenAlive;
        events.newRegion();
    }

    private Target enter(Tree tree) {
        Target target = new Target(tree, null, false);
        target.label = nextLabel;
        nextLabel = null;
        targets.add(target);
        return target;
    }

    private void exit() {
        targets.remove(targets.size() - 1);
        events.newRegion();
    }

    private static boolean isTrue(Boolean constant) {
        return constant != null && constant;
    }

    private void whileLoop(WhileLoopTree tree) {
        Target target = enter(tree);
        Boolean constant = types.constant(tree.getCondition());
        events.newRegion();
        events.lines(tree, tree.getCondition());
        loopCondition("Block Goto_while", tree.getCondition(), constant);
        statement(tree.getStatement());
        alive = !isTrue(constant) || target.hasBreak;
        exit();
    }

    /** Walks a condition before the body. Without one, each start of the body counts. */
    private void loopCondition(String operation, ExpressionTree condition, Boolean constant) {
        if (condition == null || isTrue(constant)) {
            events.floating(operation);
            return;
        }
        events.pend(operation);
        expressions.condition(condition);
        alive = constant == null;
        events.newRegion();
    }

    private void doLoop(DoWhileLoopTree tree) {
        Target target = enter(tree);
        Boolean constant = types.constant(tree.getCondition());
        events.newRegion();
        statement(tree.getStatement());
        alive |= target.hasContinue;
        if (target.hasContinue) {
            events.newRegion();
        }
        if (alive) {
            events.lines(tree.getCondition(), tree.getCondition());
            if (constant == null) {
                events.pend("Block Goto_do");
                expressions.condition(tree.getCondition());
            } else {
                events.floating("Block Goto_do");
            }
        }
        alive = alive && !isTrue(constant) || target.hasBreak;
        exit();
    }

    private void forLoop(ForLoopTree tree) {
        tree.getInitializer().forEach(this::statement);
        Target target = enter(tree);
        ExpressionTree condition = tree.getCondition();
        Boolean constant = condition == null ? Boolean.TRUE : types.constant(condition);
        events.newRegion();
        events.lines(condition == null ? tree : condition, condition);
        loopCondition("Block Goto_for", condition, constant);
        statement(tree.getStatement());
        alive |= target.hasContinue;
        events.newRegion();
        tree.getUpdate().forEach(this::statement);
        alive = !isTrue(constant) || target.hasBreak;
        exit();
    }

    private void forEach(EnhancedForLoopTree tree) {
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
        Target target = enter(tree);
        events.newRegion();
        events.lines(tree, tree.getExpression());
        events.add("jump", "Block Goto_foreach");
        events.newRegion();
        events.add(ExpressionWalker.store(type), "Declaration_" + type, "Assign_" + type + '_' + element);
        statement(tree.getStatement());
        if (over.getKind() == TypeKind.ARRAY && (alive || target.hasContinue)) {
            events.newRegion();
            events.lines(tree, tree.getExpression());
            events.silent("iinc");
        }
        alive = true;
        exit();
    }

    private void labeled(LabeledStatementTree tree) {
        String label = tree.getLabel().toString();
        StatementTree inner = tree.getStatement();
        boolean loop = inner instanceof WhileLoopTree
                || inner instanceof DoWhileLoopTree
                || inner instanceof ForLoopTree
                || inner instanceof EnhancedForLoopTree
                || inner instanceof SwitchTree;
        nextLabel = label;
        if (loop) {
            statement(inner);
            return;
        }
        Target target = enter(tree);
        statement(inner);
        alive |= target.hasBreak;
        exit();
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
        Target target = enter(tree);
        alive = false;
        for (CaseTree each : tree.getCases()) {
            alive = true;
            events.newRegion();
            each.getStatements().forEach(this::statement);
        }
        alive |= !hasDefault || target.hasBreak;
        exit();
    }

    private void leave(javax.lang.model.element.Name label, boolean isBreak) {
        int at = targets.size() - 1;
        while (at >= 0 && !matches(targets.get(at), label, isBreak)) {
            at--;
        }
        if (at >= 0) {
            finalizers(at + 1);
            if (isBreak) {
                targets.get(at).hasBreak = true;
            } else {
                targets.get(at).hasContinue = true;
            }
        }
        dead();
    }

    private static boolean matches(Target target, javax.lang.model.element.Name label, boolean isBreak) {
        if (label != null) {
            return label.contentEquals(target.label == null ? "" : target.label);
        }
        boolean isLoop = target.tree instanceof WhileLoopTree
                || target.tree instanceof DoWhileLoopTree
                || target.tree instanceof ForLoopTree
                || target.tree instanceof EnhancedForLoopTree;
        return isLoop || isBreak && target.tree instanceof SwitchTree;
    }

    /** Adds the copies of finally blocks that a jump runs, innermost first. */
    private void finalizers(int from) {
        List<Target> all = targets;
        for (int i = all.size() - 1; i >= from && alive; i--) {
            if (all.get(i).finalizer != null) {
                targets = new ArrayList<>(all.subList(0, i));
                finalizer(all.get(i));
            }
        }
        targets = all;
    }

    private void finalizer(Target target) {
        boolean copy = target.copies++ > 0;
        events.newRegion();
        events.enterFinally(copy);
        statement(target.finalizer);
        events.leaveFinally();
    }

    private void returns(ReturnTree tree) {
        events.lines(tree, tree);
        if (tree.getExpression() != null) {
            expressions.value(tree.getExpression());
            if (targets.stream().anyMatch(each -> each.finalizer != null || each.isMonitor)) {
                String type = expressions.returned(tree);
                events.optional(ExpressionWalker.store(type));
            }
        }
        finalizers(0);
        if (alive) {
            events.lines(tree, tree);
            events.optional("return");
        }
        dead();
    }

    private void tryOf(TryTree tree) {
        BlockTree last = tree.getFinallyBlock();
        Target target = new Target(tree, last, false);
        targets.add(target);
        for (Tree resource : tree.getResources()) {
            if (!(resource instanceof VariableTree)) {
                throw new SourceTypes.Unusable(
                        "line " + owner.firstLine(resource) + " has a resource without a declaration");
            }
            statement((VariableTree) resource);
        }
        statement(tree.getBlock());
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
            alive = true;
            events.newRegion();
            events.lines(each, each.getParameter());
            events.add("store:A", "Block Goto_try");
            statement(each.getBlock());
            ends |= endOfPart(target);
        }
        targets.remove(targets.size() - 1);
        if (last != null) {
            alive = true;
            if (!last.getStatements().isEmpty()) {
                events.lines(last.getStatements().get(0), last.getStatements().get(0));
                events.newRegion();
                events.optional("store:A");
            }
            finalizer(target);
        }
        alive = ends;
        events.newRegion();
    }

    /** Ends the block of a try or catch with its finally block. Returns whether code after the statement can run. */
    private boolean endOfPart(Target target) {
        if (alive && target.finalizer != null) {
            List<Target> all = targets;
            targets = new ArrayList<>(all.subList(0, all.size() - 1));
            finalizer(target);
            targets = all;
        }
        return alive;
    }

    private void synchronizedOn(SynchronizedTree tree) {
        events.lines(tree, tree.getExpression());
        expressions.value(tree.getExpression());
        events.silent("store:A");
        targets.add(new Target(tree, null, true));
        statement(tree.getBlock());
        targets.remove(targets.size() - 1);
        events.newRegion();
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

    static boolean isLocal(Element element) {
        return element != null
                && Arrays.asList(
                                "LOCAL_VARIABLE",
                                "PARAMETER",
                                "EXCEPTION_PARAMETER",
                                "RESOURCE_VARIABLE",
                                "BINDING_VARIABLE")
                        .contains(element.getKind().name());
    }

    static boolean isField(Element element) {
        return element != null
                && (element.getKind() == ElementKind.FIELD || element.getKind() == ElementKind.ENUM_CONSTANT);
    }
}

package org.navitas.census;

import com.sun.source.tree.*;
import javax.lang.model.element.Element;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;

/** Walks assignments, also those of {@code ++} and of compound operators. */
final class AssignmentWalker {
    private static final int LARGEST_IINC = Short.MAX_VALUE;

    private final ExpressionWalker expressions;
    private final ArithmeticWalker arithmetic;
    private final SourceTypes types;
    private final EventList events;

    AssignmentWalker(ExpressionWalker expressions, ArithmeticWalker arithmetic, SourceTypes types, EventList events) {
        this.expressions = expressions;
        this.arithmetic = arithmetic;
        this.types = types;
        this.events = events;
    }

    /** Returns the kind of the instruction that stores a local variable. */
    static String store(String type) {
        switch (type) {
            case "long":
                return "store:J";
            case "float":
                return "store:F";
            case "double":
                return "store:D";
            case "boolean":
            case "byte":
            case "char":
            case "short":
            case "int":
                return "store:I";
            default:
                return "store:A";
        }
    }

    void step(UnaryTree tree, boolean up) {
        ExpressionTree target = SourceTypes.bare(tree.getExpression());
        address(target);
        TypeMirror type = types.type(target);
        String name = SourceTypes.name(types.unboxed(type));
        String operation = up ? "Increment" : "Decrement";
        if (type.getKind() == TypeKind.INT && SourceTypes.isLocal(types.element(target))) {
            events.add("iinc", operation);
            return;
        }
        events.add((up ? "add:" : "sub:") + SourceTypes.promoted(name, name), operation);
        events.silent(write(target));
    }

    /** Walks the parts of an assigned variable that are evaluated before the value. */
    private void address(ExpressionTree target) {
        if (target instanceof ArrayAccessTree) {
            expressions.value(((ArrayAccessTree) target).getExpression());
            expressions.value(((ArrayAccessTree) target).getIndex());
        } else if (target instanceof MemberSelectTree) {
            expressions.qualifier(((MemberSelectTree) target).getExpression());
        }
    }

    /** Returns the kind of the instruction that writes a variable. */
    private String write(ExpressionTree target) {
        if (target instanceof ArrayAccessTree) {
            return "xastore";
        }
        Element element = types.element(target);
        if (SourceTypes.isField(element)) {
            return "put:" + element.getSimpleName();
        }
        if (!SourceTypes.isLocal(element)) {
            throw new SourceTypes.Unusable("an assigned variable is unknown");
        }
        return store(SourceTypes.variable(element.asType()));
    }

    private String typeOf(ExpressionTree target) {
        if (target instanceof ArrayAccessTree) {
            return types.name(target);
        }
        Element element = types.element(target);
        if (element == null) {
            throw new SourceTypes.Unusable("an assigned variable is unknown");
        }
        return SourceTypes.variable(element.asType());
    }

    void assignment(AssignmentTree tree) {
        ExpressionTree target = SourceTypes.bare(tree.getVariable());
        address(target);
        expressions.value(tree.getExpression());
        events.add(write(target), "Assign_" + typeOf(target) + '_' + types.name(tree.getExpression()));
    }

    void compound(CompoundAssignmentTree tree) {
        ExpressionTree target = SourceTypes.bare(tree.getVariable());
        address(target);
        String[] names = ArithmeticWalker.names(tree.getKind());
        String left = types.operand(target);
        String right = types.operand(tree.getExpression());
        String type = typeOf(target);
        if (left.equals("String") || right.equals("String")) {
            arithmetic.append(target, tree.getExpression(), "Addition_" + left + '_' + right);
            events.add(write(target), "Assign_" + type + "_Object");
            return;
        }
        String promoted = SourceTypes.promoted(left, ArithmeticWalker.isShift(names) ? left : right);
        boolean logical = left.equals("boolean");
        String operation = names[0] + '_' + left + '_' + right;
        String assign = "Assign_" + type + '_' + (logical ? "boolean" : promoted);
        if (isIinc(tree, target, left, right)) {
            events.add("iinc", operation, assign);
            return;
        }
        expressions.value(tree.getExpression());
        boolean negated = isStep(tree) && SourceTypes.isLocal(types.element(target)) && isNegative(tree, left, right);
        String instruction = negated ? (names[1].equals("add") ? "sub" : "add") : names[1];
        events.add(instruction + ':' + (logical ? "int" : promoted), operation);
        events.add(write(target), assign);
    }

    private static boolean isStep(CompoundAssignmentTree tree) {
        return tree.getKind() == Tree.Kind.PLUS_ASSIGNMENT || tree.getKind() == Tree.Kind.MINUS_ASSIGNMENT;
    }

    /** javac adds a negative constant to a narrow local variable by a subtraction, and subtracts a positive one likewise. */
    private boolean isNegative(CompoundAssignmentTree tree, String left, String right) {
        boolean narrow = left.equals("byte") || left.equals("short") || left.equals("char") || left.equals("int");
        if (!narrow
                || right.equals("long")
                || right.equals("float")
                || right.equals("double")
                || !types.isConstant(tree.getExpression())) {
            return false;
        }
        Object value = types.value(tree.getExpression());
        boolean minus = tree.getKind() == Tree.Kind.MINUS_ASSIGNMENT;
        int number = value instanceof Integer ? (Integer) value : 0;
        return value instanceof Integer && (minus ? -number >= 0 : number < 0);
    }

    private boolean isIinc(CompoundAssignmentTree tree, ExpressionTree target, String left, String right) {
        if (!isStep(tree)
                || types.type(target).getKind() != TypeKind.INT
                || !SourceTypes.isLocal(types.element(target))
                || !types.isConstant(tree.getExpression())
                || right.equals("long")
                || right.equals("float")
                || right.equals("double")) {
            return false;
        }
        Object value = types.value(tree.getExpression());
        return !(value instanceof Integer) || Math.abs((long) (Integer) value) <= LARGEST_IINC;
    }
}

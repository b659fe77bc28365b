package org.navitas.census;

import com.sun.source.tree.*;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Walks operators of one or two numbers, and concatenations of text. */
final class ArithmeticWalker {
    private static final Map<Tree.Kind, String[]> ARITHMETIC = new EnumMap<>(Tree.Kind.class);

    static {
        arithmetic(Tree.Kind.PLUS, Tree.Kind.PLUS_ASSIGNMENT, "Addition", "add");
        arithmetic(Tree.Kind.MINUS, Tree.Kind.MINUS_ASSIGNMENT, "Subtraction", "sub");
        arithmetic(Tree.Kind.MULTIPLY, Tree.Kind.MULTIPLY_ASSIGNMENT, "Multi", "mul");
        arithmetic(Tree.Kind.DIVIDE, Tree.Kind.DIVIDE_ASSIGNMENT, "Division", "div");
        arithmetic(Tree.Kind.REMAINDER, Tree.Kind.REMAINDER_ASSIGNMENT, "Remainder", "rem");
        arithmetic(Tree.Kind.LEFT_SHIFT, Tree.Kind.LEFT_SHIFT_ASSIGNMENT, "ShiftLeft", "shl");
        arithmetic(Tree.Kind.RIGHT_SHIFT, Tree.Kind.RIGHT_SHIFT_ASSIGNMENT, "ShiftRight", "shr");
        arithmetic(
                Tree.Kind.UNSIGNED_RIGHT_SHIFT,
                Tree.Kind.UNSIGNED_RIGHT_SHIFT_ASSIGNMENT,
                "UnsignedShiftRight",
                "ushr");
        arithmetic(Tree.Kind.AND, Tree.Kind.AND_ASSIGNMENT, "BitAnd", "and");
        arithmetic(Tree.Kind.OR, Tree.Kind.OR_ASSIGNMENT, "BitOr", "or");
        arithmetic(Tree.Kind.XOR, Tree.Kind.XOR_ASSIGNMENT, "BitXor", "xor");
    }

    private final ExpressionWalker expressions;
    private final SourceTypes types;
    private final EventList events;

    ArithmeticWalker(ExpressionWalker expressions, SourceTypes types, EventList events) {
        this.expressions = expressions;
        this.types = types;
        this.events = events;
    }

    private static void arithmetic(Tree.Kind plain, Tree.Kind assignment, String name, String instruction) {
        ARITHMETIC.put(plain, new String[] {name, instruction});
        ARITHMETIC.put(assignment, new String[] {name, instruction});
    }

    /** Returns the operation and the instruction of an operator, or null. */
    static String[] names(Tree.Kind operator) {
        return ARITHMETIC.get(operator);
    }

    static boolean isShift(String[] names) {
        return names[1].startsWith("sh") || names[1].equals("ushr");
    }

    void unary(UnaryTree tree) {
        expressions.value(tree.getExpression());
        String type = types.operand(tree.getExpression());
        String promoted = SourceTypes.promoted(type, type);
        if (tree.getKind() == Tree.Kind.UNARY_MINUS) {
            events.add("neg:" + promoted, "Negation_" + type);
        } else if (tree.getKind() == Tree.Kind.BITWISE_COMPLEMENT) {
            events.add("xor:" + promoted, "Complement_" + type);
        }
    }

    void binary(BinaryTree tree) {
        String left = types.operand(tree.getLeftOperand());
        String right = types.operand(tree.getRightOperand());
        if (tree.getKind() == Tree.Kind.PLUS && SourceTypes.isString(types.type(tree))) {
            List<ExpressionTree> parts = new ArrayList<>();
            List<String> operations = new ArrayList<>();
            parts(tree, parts, operations);
            concatenate(parts, 0, operations);
            return;
        }
        String[] names = ARITHMETIC.get(tree.getKind());
        if (names == null) {
            throw new SourceTypes.Unusable("an operator is unknown (" + tree.getKind() + ")");
        }
        expressions.value(tree.getLeftOperand());
        expressions.value(tree.getRightOperand());
        String promoted = left.equals("boolean") ? "int" : SourceTypes.promoted(left, isShift(names) ? left : right);
        events.add(names[1] + ':' + promoted, names[0] + '_' + left + '_' + right);
    }

    /** Appends text to a variable, whose address is on the stack. */
    void append(ExpressionTree variable, ExpressionTree text, String operation) {
        List<ExpressionTree> parts = new ArrayList<>();
        parts.add(variable);
        List<String> operations = new ArrayList<>();
        parts(text, parts, operations);
        operations.add(operation);
        concatenate(parts, 1, operations);
    }

    /** Collects the operands of a chain of concatenations, and its operations. */
    private void parts(ExpressionTree given, List<ExpressionTree> parts, List<String> operations) {
        ExpressionTree tree = SourceTypes.bare(given);
        if (tree.getKind() == Tree.Kind.PLUS && !types.isConstant(tree) && SourceTypes.isString(types.type(tree))) {
            BinaryTree both = (BinaryTree) tree;
            parts(both.getLeftOperand(), parts, operations);
            parts(both.getRightOperand(), parts, operations);
            operations.add(
                    "Addition_" + types.operand(both.getLeftOperand()) + '_' + types.operand(both.getRightOperand()));
        } else {
            parts.add(tree);
        }
    }

    private void concatenate(List<ExpressionTree> parts, int from, List<String> operations) {
        builder("sb:<init>");
        for (int i = 0; i < parts.size(); i++) {
            if (i >= from) {
                expressions.value(parts.get(i));
            }
            builder("sb:append");
        }
        builder("sb:toString").when = Event.Concatenation.BUILDER;
        String[] names = operations.toArray(new String[0]);
        Event dynamic = events.add("concat", names);
        dynamic.when = Event.Concatenation.DYNAMIC;
        Event built = events.add(null, names);
        built.when = Event.Concatenation.BUILDER;
    }

    /** Adds a call of a StringBuilder that the compiler makes for a concatenation. */
    private Event builder(String kind) {
        Event event = events.silent(kind);
        event.when = Event.Concatenation.BUILDER;
        event.hidden = true;
        return event;
    }
}

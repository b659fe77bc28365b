package org.navitas.census;

import com.sun.source.tree.*;
import java.util.EnumMap;
import java.util.Map;
import javax.lang.model.type.TypeMirror;

/** Walks conditions, whose values decide jumps. */
final class ConditionWalker {
    private static final Map<Tree.Kind, String> COMPARISONS = new EnumMap<>(Tree.Kind.class);

    static {
        COMPARISONS.put(Tree.Kind.LESS_THAN, "Less");
        COMPARISONS.put(Tree.Kind.LESS_THAN_EQUAL, "LessEqual");
        COMPARISONS.put(Tree.Kind.GREATER_THAN, "Greater");
        COMPARISONS.put(Tree.Kind.GREATER_THAN_EQUAL, "GreaterEqual");
        COMPARISONS.put(Tree.Kind.EQUAL_TO, "Equal");
        COMPARISONS.put(Tree.Kind.NOT_EQUAL_TO, "NotEqual");
    }

    private final ExpressionWalker expressions;
    private final SourceTypes types;
    private final EventList events;

    ConditionWalker(ExpressionWalker expressions, SourceTypes types, EventList events) {
        this.expressions = expressions;
        this.types = types;
        this.events = events;
    }

    static boolean isCondition(ExpressionTree tree) {
        return COMPARISONS.containsKey(tree.getKind())
                || tree.getKind() == Tree.Kind.CONDITIONAL_AND
                || tree.getKind() == Tree.Kind.CONDITIONAL_OR
                || tree.getKind() == Tree.Kind.LOGICAL_COMPLEMENT;
    }

    /** Walks a condition: each comparison and each boolean value has one jump, constants have none. */
    void condition(ExpressionTree given) {
        ExpressionTree tree = SourceTypes.bare(given);
        if (types.isConstant(tree)) {
            return;
        }
        switch (tree.getKind()) {
            case LOGICAL_COMPLEMENT:
                events.pend("Not");
                condition(((UnaryTree) tree).getExpression());
                break;
            case CONDITIONAL_AND:
            case CONDITIONAL_OR:
                if (types.constant(tree) != null) {
                    break; // javac removes it
                }
                BinaryTree both = (BinaryTree) tree;
                events.pend(tree.getKind() == Tree.Kind.CONDITIONAL_AND ? "And" : "Or");
                condition(both.getLeftOperand());
                Boolean left = types.constant(both.getLeftOperand());
                if (left == null) {
                    events.newRegion();
                }
                if (left == null || left == (tree.getKind() == Tree.Kind.CONDITIONAL_AND)) {
                    condition(both.getRightOperand());
                }
                break;
            case CONDITIONAL_EXPRESSION:
                ConditionalExpressionTree three = (ConditionalExpressionTree) tree;
                events.pend("Conditional");
                condition(three.getCondition());
                events.newRegion();
                condition(three.getTrueExpression());
                events.newRegion();
                condition(three.getFalseExpression());
                break;
            default:
                if (COMPARISONS.containsKey(tree.getKind())) {
                    comparison((BinaryTree) tree);
                } else {
                    expressions.value(tree);
                    events.add("jump");
                }
        }
    }

    private void comparison(BinaryTree tree) {
        expressions.value(tree.getLeftOperand());
        expressions.value(tree.getRightOperand());
        TypeMirror left = types.type(tree.getLeftOperand());
        TypeMirror right = types.type(tree.getRightOperand());
        boolean primitive = left.getKind().isPrimitive()
                || right.getKind().isPrimitive()
                || tree.getKind() != Tree.Kind.EQUAL_TO && tree.getKind() != Tree.Kind.NOT_EQUAL_TO;
        String one = SourceTypes.name(primitive ? types.unboxed(left) : left);
        String two = SourceTypes.name(primitive ? types.unboxed(right) : right);
        events.add("jump", COMPARISONS.get(tree.getKind()) + '_' + one + '_' + two);
    }

    /** Walks a conditional expression for its value. */
    void conditional(ConditionalExpressionTree tree) {
        Boolean constant = types.constant(tree.getCondition());
        if (constant != null) {
            condition(tree.getCondition());
            expressions.value(constant ? tree.getTrueExpression() : tree.getFalseExpression());
            return;
        }
        events.pend("Conditional");
        condition(tree.getCondition());
        events.newRegion();
        expressions.value(tree.getTrueExpression());
        events.newRegion();
        expressions.value(tree.getFalseExpression());
        events.newRegion();
    }
}

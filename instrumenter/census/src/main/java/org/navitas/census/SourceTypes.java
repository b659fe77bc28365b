package org.navitas.census;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TypeCastTree;
import com.sun.source.tree.UnaryTree;
import com.sun.source.util.TreePath;
import com.sun.source.util.Trees;
import java.util.Arrays;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Types;

/** Types and constants of expressions. */
final class SourceTypes {
    /** The source has something that cannot be counted; the message names it. */
    static final class Unusable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unusable(String message) {
            super(message, null, false, false);
        }
    }

    private final Trees trees;
    private final Types types;
    private final TreePath path;

    SourceTypes(Trees trees, Types types, TreePath path) {
        this.trees = trees;
        this.types = types;
        this.path = path;
    }

    Element element(Tree tree) {
        return trees.getElement(new TreePath(path, tree));
    }

    TypeMirror type(Tree tree) {
        TypeMirror type = trees.getTypeMirror(new TreePath(path, tree));
        if (type == null || type.getKind() == TypeKind.ERROR) {
            throw new Unusable("the type of an expression is unknown");
        }
        return type;
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

    /** Returns the type of a variable. A type that the compiler does not find is a class, since it knows all others. */
    static String variable(TypeMirror type) {
        return type.getKind() == TypeKind.ERROR ? "Object" : name(type);
    }

    static String name(TypeMirror type) {
        if (type.getKind().isPrimitive()) {
            return type.toString().replaceAll(".* ", ""); // without annotations
        } else if (type.getKind() == TypeKind.ARRAY) {
            return variable(((ArrayType) type).getComponentType()) + "[]";
        }
        return type.getKind() == TypeKind.NULL ? "null" : "Object";
    }

    String name(Tree tree) {
        return name(type(tree));
    }

    /** Returns the name of an operand's type: that of a box's value, and String. */
    String operand(Tree tree) {
        TypeMirror type = type(tree);
        return isString(type) ? "String" : name(unboxed(type));
    }

    TypeMirror unboxed(TypeMirror type) {
        try {
            return type.getKind() == TypeKind.DECLARED ? types.unboxedType(type) : type;
        } catch (IllegalArgumentException e) {
            return type;
        }
    }

    static boolean isString(TypeMirror type) {
        return type.getKind() == TypeKind.DECLARED && type.toString().endsWith("java.lang.String");
    }

    /** Returns the erased descriptor of a type, or null if it is unknown. */
    String descriptor(TypeMirror type) {
        TypeMirror erased = types.erasure(type);
        switch (erased.getKind()) {
            case BOOLEAN:
                return "Z";
            case BYTE:
                return "B";
            case CHAR:
                return "C";
            case SHORT:
                return "S";
            case INT:
                return "I";
            case LONG:
                return "J";
            case FLOAT:
                return "F";
            case DOUBLE:
                return "D";
            case ARRAY:
                String component = descriptor(((ArrayType) erased).getComponentType());
                return component == null ? null : "[" + component;
            case DECLARED:
                return "L;";
            default:
                return null;
        }
    }

    /** Returns the type of int, long, float or double in which two operands are computed (JLS 5.6.2). */
    static String promoted(String one, String two) {
        for (String wide : new String[] {"double", "float", "long"}) {
            if (one.equals(wide) || two.equals(wide)) {
                return wide;
            }
        }
        return "int";
    }

    static ExpressionTree bare(ExpressionTree tree) {
        ExpressionTree at = tree;
        while (at instanceof ParenthesizedTree) {
            at = ((ParenthesizedTree) at).getExpression();
        }
        return at;
    }

    /** Returns whether an expression is a compile-time constant (JLS 15.28). */
    boolean isConstant(Tree tree) {
        switch (tree.getKind()) {
            case PARENTHESIZED:
                return isConstant(((ParenthesizedTree) tree).getExpression());
            case NULL_LITERAL:
                return false;
            case UNARY_MINUS:
            case UNARY_PLUS:
            case BITWISE_COMPLEMENT:
            case LOGICAL_COMPLEMENT:
                return isConstant(((UnaryTree) tree).getExpression());
            case CONDITIONAL_EXPRESSION:
                ConditionalExpressionTree three = (ConditionalExpressionTree) tree;
                return isConstant(three.getCondition())
                        && isConstant(three.getTrueExpression())
                        && isConstant(three.getFalseExpression());
            case TYPE_CAST:
                TypeMirror to = type(((TypeCastTree) tree).getType());
                return (to.getKind().isPrimitive() || isString(to))
                        && isConstant(((TypeCastTree) tree).getExpression());
            case IDENTIFIER:
            case MEMBER_SELECT:
                Element element = element(tree);
                return element instanceof VariableElement && ((VariableElement) element).getConstantValue() != null;
            default:
                return tree instanceof LiteralTree
                        || tree instanceof BinaryTree
                                && isConstant(((BinaryTree) tree).getLeftOperand())
                                && isConstant(((BinaryTree) tree).getRightOperand());
        }
    }

    /** Returns the value of a constant condition; null if the expression is not constant. */
    Boolean constant(ExpressionTree tree) {
        ExpressionTree at = bare(tree);
        if (isConstant(at)) {
            Object value = value(at);
            if (value instanceof Boolean) {
                return (Boolean) value;
            }
            throw new Unusable("a constant condition is too complex");
        }
        if (at.getKind() == Tree.Kind.CONDITIONAL_AND || at.getKind() == Tree.Kind.CONDITIONAL_OR) {
            boolean decisive = at.getKind() == Tree.Kind.CONDITIONAL_OR;
            Boolean left = constant(((BinaryTree) at).getLeftOperand());
            return left != null && left == decisive ? left : null;
        }
        return null;
    }

    /** Returns the value of a constant, or null if it is too complex. */
    Object value(ExpressionTree tree) {
        ExpressionTree at = bare(tree);
        if (at instanceof LiteralTree) {
            return ((LiteralTree) at).getValue();
        }
        if (at instanceof UnaryTree) {
            Object value = value(((UnaryTree) at).getExpression());
            if (value instanceof Boolean && at.getKind() == Tree.Kind.LOGICAL_COMPLEMENT) {
                return !(Boolean) value;
            }
            return value instanceof Integer && at.getKind() == Tree.Kind.UNARY_MINUS
                    ? Integer.valueOf(-(Integer) value)
                    : null;
        }
        if (at instanceof BinaryTree) {
            return binary(
                    at.getKind(),
                    value(((BinaryTree) at).getLeftOperand()),
                    value(((BinaryTree) at).getRightOperand()));
        }
        Element element =
                at.getKind() == Tree.Kind.IDENTIFIER || at.getKind() == Tree.Kind.MEMBER_SELECT ? element(at) : null;
        return element instanceof VariableElement ? ((VariableElement) element).getConstantValue() : null;
    }

    private static Object binary(Tree.Kind kind, Object left, Object right) {
        if (left instanceof Boolean && right instanceof Boolean) {
            boolean one = (Boolean) left;
            boolean two = (Boolean) right;
            switch (kind) {
                case CONDITIONAL_AND:
                    return one && two;
                case CONDITIONAL_OR:
                    return one || two;
                case EQUAL_TO:
                    return one == two;
                case NOT_EQUAL_TO:
                    return one != two;
                default:
                    return null;
            }
        }
        if (left instanceof Integer && right instanceof Integer) {
            int one = (Integer) left;
            int two = (Integer) right;
            switch (kind) {
                case PLUS:
                    return one + two;
                case MINUS:
                    return one - two;
                case MULTIPLY:
                    return one * two;
                case LESS_THAN:
                    return one < two;
                case LESS_THAN_EQUAL:
                    return one <= two;
                case GREATER_THAN:
                    return one > two;
                case GREATER_THAN_EQUAL:
                    return one >= two;
                case EQUAL_TO:
                    return one == two;
                case NOT_EQUAL_TO:
                    return one != two;
                default:
                    return null;
            }
        }
        return null;
    }
}

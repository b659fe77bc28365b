package org.navitas.census;

import com.sun.source.tree.*;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;

/** Walks expressions in the order of evaluation, which is that of javac's code. */
final class ExpressionWalker {
    private final MethodWalker statements;
    private final SourceTypes types;
    private final EventList events;
    private final ConditionWalker conditions;
    private final ArithmeticWalker arithmetic;
    private final AssignmentWalker assignments;

    ExpressionWalker(MethodWalker statements, SourceTypes types, EventList events) {
        this.statements = statements;
        this.types = types;
        this.events = events;
        conditions = new ConditionWalker(this, types, events);
        arithmetic = new ArithmeticWalker(this, types, events);
        assignments = new AssignmentWalker(this, arithmetic, types, events);
    }

    /** Returns the type in which a returned value waits for finally blocks. */
    String returned(ReturnTree tree) {
        return types.name(types.unboxed(types.type(tree.getExpression())));
    }

    /** Walks an expression for its value. Constants have no code. */
    void value(ExpressionTree given) {
        ExpressionTree tree = SourceTypes.bare(given);
        if (types.isConstant(tree)) {
            return;
        }
        if (ConditionWalker.isCondition(tree)) {
            conditions.condition(tree);
            events.newRegion();
            return;
        }
        switch (tree.getKind()) {
            case IDENTIFIER:
            case NULL_LITERAL:
                break;
            case MEMBER_SELECT:
                select((MemberSelectTree) tree);
                break;
            case UNARY_MINUS:
            case UNARY_PLUS:
            case BITWISE_COMPLEMENT:
                arithmetic.unary((UnaryTree) tree);
                break;
            case PREFIX_INCREMENT:
            case POSTFIX_INCREMENT:
                assignments.step((UnaryTree) tree, true);
                break;
            case PREFIX_DECREMENT:
            case POSTFIX_DECREMENT:
                assignments.step((UnaryTree) tree, false);
                break;
            case ASSIGNMENT:
                assignments.assignment((AssignmentTree) tree);
                break;
            case METHOD_INVOCATION:
                call((MethodInvocationTree) tree);
                break;
            case NEW_CLASS:
                create((NewClassTree) tree);
                break;
            case NEW_ARRAY:
                array((NewArrayTree) tree);
                break;
            case ARRAY_ACCESS:
                value(((ArrayAccessTree) tree).getExpression());
                value(((ArrayAccessTree) tree).getIndex());
                break;
            case TYPE_CAST:
                cast((TypeCastTree) tree);
                break;
            case INSTANCE_OF:
                if (((InstanceOfTree) tree).getType() == null) {
                    throw new SourceTypes.Unusable("instanceof has a pattern");
                }
                value(((InstanceOfTree) tree).getExpression());
                break;
            case CONDITIONAL_EXPRESSION:
                conditions.conditional((ConditionalExpressionTree) tree);
                break;
            case LAMBDA_EXPRESSION:
                statements.lambdaIn((LambdaExpressionTree) tree);
                break;
            case MEMBER_REFERENCE:
                qualifier(((MemberReferenceTree) tree).getQualifierExpression());
                break;
            default:
                if (tree instanceof BinaryTree) {
                    arithmetic.binary((BinaryTree) tree);
                } else if (tree instanceof CompoundAssignmentTree) {
                    assignments.compound((CompoundAssignmentTree) tree);
                } else {
                    throw new SourceTypes.Unusable("an expression is of a later Java (" + tree.getKind() + ")");
                }
        }
    }

    /** Walks a condition of a statement. */
    void condition(ExpressionTree tree) {
        conditions.condition(tree);
    }

    private void select(MemberSelectTree tree) {
        qualifier(tree.getExpression());
    }

    /** Walks what stands before a dot, unless it is a class or package. */
    void qualifier(ExpressionTree tree) {
        if (tree.getKind() == Tree.Kind.IDENTIFIER) {
            return;
        }
        Element element = tree.getKind() == Tree.Kind.MEMBER_SELECT ? types.element(tree) : null;
        boolean isName = tree instanceof PrimitiveTypeTree
                || tree instanceof ArrayTypeTree
                || tree instanceof ParameterizedTypeTree
                || element != null
                        && (element.getKind() == ElementKind.PACKAGE
                                || element.getKind().isClass()
                                || element.getKind().isInterface());
        if (!isName) {
            value(tree);
        }
    }

    private void call(MethodInvocationTree tree) {
        ExpressionTree select = tree.getMethodSelect();
        String name = select instanceof MemberSelectTree
                ? ((MemberSelectTree) select).getIdentifier().toString()
                : select.toString();
        boolean builder = false;
        if (select instanceof MemberSelectTree) {
            ExpressionTree receiver = ((MemberSelectTree) select).getExpression();
            qualifier(receiver);
            Element method = types.element(select);
            builder = method != null
                    && method.getEnclosingElement() != null
                    && isBuilder(method.getEnclosingElement().toString());
        }
        tree.getArguments().forEach(this::value);
        events.silent((builder ? "sb:" : "call:") + (name.equals("super") || name.equals("this") ? "<init>" : name));
    }

    private static boolean isBuilder(String className) {
        return className.equals("java.lang.StringBuilder") || className.equals("java.lang.AbstractStringBuilder");
    }

    private void create(NewClassTree tree) {
        if (tree.getEnclosingExpression() != null) {
            value(tree.getEnclosingExpression());
        }
        tree.getArguments().forEach(this::value);
        events.silent(isBuilder(String.valueOf(types.type(tree))) ? "sb:<init>" : "call:<init>");
        if (tree.getClassBody() != null) {
            statements.classIn(tree.getClassBody());
        }
    }

    private void array(NewArrayTree tree) {
        if (tree.getInitializers() == null) {
            tree.getDimensions().forEach(this::value);
            return;
        }
        TypeMirror element = ((ArrayType) types.type(tree)).getComponentType();
        for (ExpressionTree each : tree.getInitializers()) {
            value(each);
            events.add("xastore", "Assign_" + SourceTypes.variable(element) + '_' + types.name(each));
        }
    }

    private void cast(TypeCastTree tree) {
        value(tree.getExpression());
        TypeMirror to = types.type(tree.getType());
        TypeMirror from = types.unboxed(types.type(tree.getExpression()));
        if (to.getKind().isPrimitive() && from.getKind().isPrimitive() && converts(from.getKind(), to.getKind())) {
            events.floating("Convert_" + SourceTypes.name(from) + '_' + SourceTypes.name(to));
        }
    }

    /** Returns whether a conversion has an instruction. */
    private static boolean converts(TypeKind from, TypeKind to) {
        boolean widens = to == TypeKind.INT || to == TypeKind.SHORT && from == TypeKind.BYTE;
        boolean small = from == TypeKind.BYTE || from == TypeKind.SHORT || from == TypeKind.CHAR;
        return from != to && !(small && widens);
    }
}

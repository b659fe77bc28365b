package org.navitas.census;

import com.sun.source.tree.*;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;

/** Walks expressions in the order of evaluation, which is that of javac's code. */
final class ExpressionWalker {
    private static final Map<Tree.Kind, String[]> ARITHMETIC = new EnumMap<>(Tree.Kind.class);
    private static final Map<Tree.Kind, String> COMPARISONS = new EnumMap<>(Tree.Kind.class);
    private static final int LARGEST_IINC = Short.MAX_VALUE;

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
        COMPARISONS.put(Tree.Kind.LESS_THAN, "Less");
        COMPARISONS.put(Tree.Kind.LESS_THAN_EQUAL, "LessEqual");
        COMPARISONS.put(Tree.Kind.GREATER_THAN, "Greater");
        COMPARISONS.put(Tree.Kind.GREATER_THAN_EQUAL, "GreaterEqual");
        COMPARISONS.put(Tree.Kind.EQUAL_TO, "Equal");
        COMPARISONS.put(Tree.Kind.NOT_EQUAL_TO, "NotEqual");
    }

    private final MethodWalker statements;
    private final SourceTypes types;
    private final EventList events;

    ExpressionWalker(MethodWalker statements, SourceTypes types, EventList events) {
        this.statements = statements;
        this.types = types;
        this.events = events;
    }

    private static void arithmetic(Tree.Kind plain, Tree.Kind assignment, String name, String instruction) {
        ARITHMETIC.put(plain, new String[] {name, instruction});
        ARITHMETIC.put(assignment, new String[] {name, instruction});
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
        if (isCondition(tree)) {
            condition(tree);
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
                unary((UnaryTree) tree);
                break;
            case PREFIX_INCREMENT:
            case POSTFIX_INCREMENT:
                step((UnaryTree) tree, true);
                break;
            case PREFIX_DECREMENT:
            case POSTFIX_DECREMENT:
                step((UnaryTree) tree, false);
                break;
            case ASSIGNMENT:
                assignment((AssignmentTree) tree);
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
                conditional((ConditionalExpressionTree) tree);
                break;
            case LAMBDA_EXPRESSION:
                statements.lambdaIn((LambdaExpressionTree) tree);
                break;
            case MEMBER_REFERENCE:
                qualifier(((MemberReferenceTree) tree).getQualifierExpression());
                break;
            default:
                if (tree instanceof BinaryTree) {
                    binary((BinaryTree) tree);
                } else if (tree instanceof CompoundAssignmentTree) {
                    compound((CompoundAssignmentTree) tree);
                } else {
                    throw new SourceTypes.Unusable("an expression is of a later Java (" + tree.getKind() + ")");
                }
        }
    }

    private static boolean isCondition(ExpressionTree tree) {
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
                    value(tree);
                    events.add("jump");
                }
        }
    }

    private void comparison(BinaryTree tree) {
        value(tree.getLeftOperand());
        value(tree.getRightOperand());
        TypeMirror left = types.type(tree.getLeftOperand());
        TypeMirror right = types.type(tree.getRightOperand());
        boolean primitive = left.getKind().isPrimitive()
                || right.getKind().isPrimitive()
                || tree.getKind() != Tree.Kind.EQUAL_TO && tree.getKind() != Tree.Kind.NOT_EQUAL_TO;
        String one = SourceTypes.name(primitive ? types.unboxed(left) : left);
        String two = SourceTypes.name(primitive ? types.unboxed(right) : right);
        events.add("jump", COMPARISONS.get(tree.getKind()) + '_' + one + '_' + two);
    }

    private void select(MemberSelectTree tree) {
        qualifier(tree.getExpression());
    }

    /** Walks what stands before a dot, unless it is a class or package. */
    private void qualifier(ExpressionTree tree) {
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

    private void unary(UnaryTree tree) {
        value(tree.getExpression());
        String type = types.operand(tree.getExpression());
        String promoted = SourceTypes.promoted(type, type);
        if (tree.getKind() == Tree.Kind.UNARY_MINUS) {
            events.add("neg:" + promoted, "Negation_" + type);
        } else if (tree.getKind() == Tree.Kind.BITWISE_COMPLEMENT) {
            events.add("xor:" + promoted, "Complement_" + type);
        }
    }

    private void step(UnaryTree tree, boolean up) {
        ExpressionTree target = SourceTypes.bare(tree.getExpression());
        address(target);
        TypeMirror type = types.type(target);
        String name = SourceTypes.name(types.unboxed(type));
        String operation = up ? "Increment" : "Decrement";
        if (type.getKind() == TypeKind.INT && MethodWalker.isLocal(types.element(target))) {
            events.add("iinc", operation);
            return;
        }
        events.add((up ? "add:" : "sub:") + SourceTypes.promoted(name, name), operation);
        events.silent(write(target));
    }

    /** Walks the parts of an assigned variable that are evaluated before the value. */
    private void address(ExpressionTree target) {
        if (target instanceof ArrayAccessTree) {
            value(((ArrayAccessTree) target).getExpression());
            value(((ArrayAccessTree) target).getIndex());
        } else if (target instanceof MemberSelectTree) {
            qualifier(((MemberSelectTree) target).getExpression());
        }
    }

    /** Returns the kind of the instruction that writes a variable. */
    private String write(ExpressionTree target) {
        if (target instanceof ArrayAccessTree) {
            return "xastore";
        }
        Element element = types.element(target);
        if (MethodWalker.isField(element)) {
            return "put:" + element.getSimpleName();
        }
        if (!MethodWalker.isLocal(element)) {
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

    private void assignment(AssignmentTree tree) {
        ExpressionTree target = SourceTypes.bare(tree.getVariable());
        address(target);
        value(tree.getExpression());
        events.add(write(target), "Assign_" + typeOf(target) + '_' + types.name(tree.getExpression()));
    }

    private void compound(CompoundAssignmentTree tree) {
        ExpressionTree target = SourceTypes.bare(tree.getVariable());
        address(target);
        String[] names = ARITHMETIC.get(tree.getKind());
        String left = types.operand(target);
        String right = types.operand(tree.getExpression());
        String type = typeOf(target);
        if (left.equals("String") || right.equals("String")) {
            List<ExpressionTree> parts = new ArrayList<>();
            parts.add(target);
            List<String> operations = new ArrayList<>();
            parts(tree.getExpression(), parts, operations);
            operations.add("Addition_" + left + '_' + right);
            concatenate(parts, 1, operations);
            events.add(write(target), "Assign_" + type + "_Object");
            return;
        }
        boolean shift = names[1].startsWith("sh") || names[1].equals("ushr");
        String promoted = SourceTypes.promoted(left, shift ? left : right);
        boolean logical = left.equals("boolean");
        String operation = names[0] + '_' + left + '_' + right;
        String assign = "Assign_" + type + '_' + (logical ? "boolean" : promoted);
        if (isIinc(tree, target, left, right)) {
            events.add("iinc", operation, assign);
            return;
        }
        value(tree.getExpression());
        boolean negated = isStep(tree) && MethodWalker.isLocal(types.element(target)) && isNegative(tree, left, right);
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
                || !MethodWalker.isLocal(types.element(target))
                || !types.isConstant(tree.getExpression())
                || right.equals("long")
                || right.equals("float")
                || right.equals("double")) {
            return false;
        }
        Object value = types.value(tree.getExpression());
        return !(value instanceof Integer) || Math.abs((long) (Integer) value) <= LARGEST_IINC;
    }

    private void binary(BinaryTree tree) {
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
        value(tree.getLeftOperand());
        value(tree.getRightOperand());
        boolean shift = names[1].startsWith("sh") || names[1].equals("ushr");
        String promoted = left.equals("boolean") ? "int" : SourceTypes.promoted(left, shift ? left : right);
        events.add(names[1] + ':' + promoted, names[0] + '_' + left + '_' + right);
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
                value(parts.get(i));
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

    private void conditional(ConditionalExpressionTree tree) {
        Boolean constant = types.constant(tree.getCondition());
        if (constant != null) {
            condition(tree.getCondition());
            value(constant ? tree.getTrueExpression() : tree.getFalseExpression());
            return;
        }
        events.pend("Conditional");
        condition(tree.getCondition());
        events.newRegion();
        value(tree.getTrueExpression());
        events.newRegion();
        value(tree.getFalseExpression());
        events.newRegion();
    }
}

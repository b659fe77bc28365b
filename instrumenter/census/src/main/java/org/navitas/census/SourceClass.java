package org.navitas.census;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.lang.model.element.Element;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;

/** Reads the methods of one class of a source, and of the classes in it. */
final class SourceClass {
    private final JavacTask task;
    private final Trees trees;
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final LineMap lineMap;
    private final List<Long> errors;
    private final Map<String, List<SourceMethod>> found;

    SourceClass(
            JavacTask task,
            Trees trees,
            CompilationUnitTree unit,
            List<Long> errors,
            Map<String, List<SourceMethod>> found) {
        this.task = task;
        this.trees = trees;
        this.unit = unit;
        this.errors = errors;
        this.found = found;
        positions = trees.getSourcePositions();
        lineMap = unit.getLineMap();
    }

    /** Adds the methods of a class. */
    void read(TreePath path) {
        ClassTree tree = (ClassTree) path.getLeaf();
        Element element = trees.getElement(path);
        if (!(element instanceof TypeElement)) {
            return; // a class in code with errors
        }
        String name = task.getElements().getBinaryName((TypeElement) element).toString();
        List<SourceMethod> methods = found.computeIfAbsent(name, each -> new ArrayList<>());
        List<Tree> fields = new ArrayList<>();
        List<Tree> statics = new ArrayList<>();
        for (Tree member : tree.getMembers()) {
            if (member instanceof VariableTree && ((VariableTree) member).getInitializer() != null) {
                Element variable = trees.getElement(new TreePath(path, member));
                boolean isStatic = variable != null && variable.getModifiers().contains(Modifier.STATIC);
                (isStatic ? statics : fields).add(member);
            } else if (member instanceof BlockTree) {
                (((BlockTree) member).isStatic() ? statics : fields).add(member);
            }
        }
        for (Tree member : tree.getMembers()) {
            if (member instanceof MethodTree && ((MethodTree) member).getBody() != null) {
                method(path, (MethodTree) member, fields, methods);
            } else if (member instanceof ClassTree) {
                read(new TreePath(path, member));
            }
        }
        if (!statics.isEmpty()) {
            SourceMethod method = new SourceMethod("<clinit>", "", firstLine(tree), lastLine(tree));
            methods.add(method);
            walk(path, method, methods, walker -> walker.members(statics));
        }
    }

    private void method(TreePath path, MethodTree tree, List<Tree> fields, List<SourceMethod> methods) {
        String name = tree.getName().toString();
        StringBuilder parameters = new StringBuilder();
        SourceTypes types = new SourceTypes(trees, task.getTypes(), path);
        boolean known = true;
        for (VariableTree parameter : tree.getParameters()) {
            Element element = types.element(parameter);
            String descriptor = element == null ? null : types.descriptor(element.asType());
            known &= descriptor != null;
            parameters.append(descriptor);
        }
        SourceMethod method =
                new SourceMethod(name, known ? parameters.toString() : null, firstLine(tree), lastLine(tree));
        method.implied = name.equals("<init>") && positions.getEndPosition(unit, tree) < 0;
        methods.add(method);
        walk(path, method, methods, walker -> walker.body(tree, fields));
    }

    /** Adds a lambda, which is a method of its own. */
    void lambda(TreePath path, LambdaExpressionTree tree, List<SourceMethod> methods) {
        SourceMethod method = new SourceMethod("lambda$", null, firstLine(tree.getBody()), lastLine(tree.getBody()));
        methods.add(method);
        walk(path, method, methods, walker -> walker.lambda(tree));
    }

    private interface Walk {
        void with(MethodWalker walker);
    }

    private void walk(TreePath path, SourceMethod method, List<SourceMethod> methods, Walk walk) {
        try {
            walk.with(new MethodWalker(this, new SourceTypes(trees, task.getTypes(), path), path, method, methods));
        } catch (SourceTypes.Unusable e) {
            method.problem = e.getMessage();
        } catch (StackOverflowError e) {
            method.problem = "an expression is nested too deeply";
        } catch (RuntimeException | AssertionError e) {
            method.problem = "the compiler's tree has an unexpected part (" + e + ")"; // after errors in the source
        }
        for (long line : errors) {
            if (line >= method.firstLine && line <= method.lastLine && !method.name.equals("<clinit>")) {
                method.problem = "line " + line + " does not compile";
            }
        }
    }

    /** Returns a tree's first line, or 0 if the compiler made it. */
    int firstLine(Tree tree) {
        return line(positions.getStartPosition(unit, tree));
    }

    int lastLine(Tree tree) {
        return line(positions.getEndPosition(unit, tree));
    }

    private int line(long position) {
        return position < 0 ? 0 : (int) lineMap.getLineNumber(position);
    }

    static boolean isConstructorCall(StatementTree statement) {
        String text = statement.toString();
        return text.startsWith("super(")
                || text.startsWith("this(")
                || text.contains(".super(") && text.indexOf('(') > text.indexOf(".super");
    }
}

package org.navitas.census;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.Trees;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.navitas.instrument.files.InstrumentException;

/** The methods of Java sources by class, found by the JDK's compiler. */
final class SourceCode {
    private static final String NEEDS_JDK =
            "--sources needs the compiler of a JDK, and this Java has none; set JAVA_HOME to a JDK, or leave out"
                    + " --sources";
    private static final int MOST_ERRORS = 5;

    private final Map<String, List<SourceMethod>> methods = new HashMap<>();

    private SourceCode() {}

    /** Returns the methods of a class, or null if no source has the class. */
    List<SourceMethod> methods(String className) {
        return methods.get(className);
    }

    static SourceCode read(List<Path> sources, List<Path> classPath, List<String> notes) throws InstrumentException {
        List<File> files = new ArrayList<>();
        for (Path root : sources) {
            find(root, files, notes);
        }
        SourceCode code = new SourceCode();
        if (files.isEmpty()) {
            notes.add(
                    "no Java source in " + sources.stream().map(String::valueOf).collect(Collectors.joining(", ")));
            return code;
        }
        try {
            code.compile(files, classPath, notes);
        } catch (NoClassDefFoundError e) {
            throw new InstrumentException(NEEDS_JDK, e);
        } catch (IOException e) {
            throw new InstrumentException("sources cannot be read: " + e.getMessage(), e);
        }
        return code;
    }

    private static void find(Path root, List<File> files, List<String> notes) throws InstrumentException {
        TreeSet<Path> java = new TreeSet<>();
        List<Path> kotlin = new ArrayList<>();
        try (Stream<Path> found = Files.walk(root, FileVisitOption.FOLLOW_LINKS)) {
            found.filter(Files::isRegularFile).forEach(file -> {
                String name = file.getFileName().toString();
                if (name.endsWith(".java") && !name.equals("module-info.java") && !name.equals("package-info.java")) {
                    java.add(file);
                } else if (name.endsWith(".kt")) {
                    kotlin.add(file);
                }
            });
        } catch (IOException | java.io.UncheckedIOException e) {
            throw new InstrumentException(root + ": the sources cannot be read (" + e.getMessage() + ")", e);
        }
        java.forEach(file -> files.add(file.toFile()));
        if (!kotlin.isEmpty()) {
            notes.add(Collections.min(kotlin) + (kotlin.size() > 1 ? " and " + (kotlin.size() - 1) + " more" : "")
                    + ": Kotlin sources are not read; their classes are counted by bytecode");
        }
    }

    private void compile(List<File> files, List<Path> classPath, List<String> notes)
            throws IOException, InstrumentException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new InstrumentException(NEEDS_JDK);
        }
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        List<String> options = Arrays.asList(
                "-proc:none",
                "-implicit:none",
                "-nowarn",
                "-Xlint:none",
                "-Xmaxerrs",
                "1000000",
                "-XDshould-stop.ifError=FLOW",
                "-XDshouldStopPolicyIfError=FLOW",
                "-cp",
                classPath.stream().map(String::valueOf).collect(Collectors.joining(File.pathSeparator)));
        try (StandardJavaFileManager manager =
                compiler.getStandardFileManager(problems, Locale.ROOT, StandardCharsets.UTF_8)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, problems, options, null, manager.getJavaFileObjectsFromFiles(files));
            List<CompilationUnitTree> units = new ArrayList<>();
            task.parse().forEach(units::add);
            try {
                task.analyze();
            } catch (RuntimeException | AssertionError e) {
                // The compiler can fail on sources with errors, such as missing libraries.
                notes.add("the sources cannot be analysed (" + e + "); classes are counted by bytecode");
                return;
            }
            Map<String, List<Long>> errors = errors(problems, notes);
            Trees trees = Trees.instance(task);
            for (CompilationUnitTree unit : units) {
                List<Long> lines = errors.getOrDefault(unit.getSourceFile().getName(), Collections.emptyList());
                for (Tree type : unit.getTypeDecls()) {
                    if (type instanceof ClassTree) {
                        new SourceClass(task, trees, unit, lines, methods).read(new TreePath(new TreePath(unit), type));
                    }
                }
            }
        }
    }

    private static Map<String, List<Long>> errors(DiagnosticCollector<JavaFileObject> problems, List<String> notes) {
        Map<String, List<Long>> errors = new TreeMap<>();
        int count = 0;
        for (Diagnostic<? extends JavaFileObject> each : problems.getDiagnostics()) {
            if (each.getKind() == Diagnostic.Kind.ERROR && each.getSource() != null) {
                String name = each.getSource().getName();
                errors.computeIfAbsent(name, file -> new ArrayList<>()).add(each.getLineNumber());
                if (count++ < MOST_ERRORS) {
                    String message = each.getMessage(Locale.ROOT).replaceAll("\\s+", " ");
                    notes.add(name + ":" + each.getLineNumber() + ": does not compile (" + message
                            + "); its method is counted by bytecode; name libraries with --class-path");
                }
            }
        }
        if (count > MOST_ERRORS) {
            notes.add((count - MOST_ERRORS) + " more errors in sources");
        }
        return errors;
    }
}

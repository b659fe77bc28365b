package org.navitas.generate;

import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.tools.Diagnostic;

/**
 * Generates the hooks whose line in {@code hooks.txt} says how they record ({@link GeneratedHook}), while the compiler
 * compiles the others: it knows the platform's types and exceptions. All hooks of a class are generated, or none.
 */
@SupportedAnnotationTypes("*")
public final class HookGenerator extends AbstractProcessor {
    /** The words that begin a line of a method which calls of a hook replace. */
    private static final Set<String> KINDS = Set.of("call", "inherited", "static");
    /** Classes with this prefix use methods that the oldest supported platform lacks. */
    private static final String NEWER = "Newer";

    private static final Map<TypeKind, String> PRIMITIVES = Map.of(
            TypeKind.BOOLEAN,
            "Z",
            TypeKind.BYTE,
            "B",
            TypeKind.CHAR,
            "C",
            TypeKind.SHORT,
            "S",
            TypeKind.INT,
            "I",
            TypeKind.LONG,
            "J",
            TypeKind.FLOAT,
            "F",
            TypeKind.DOUBLE,
            "D",
            TypeKind.VOID,
            "V");

    private final String table;
    private boolean isDone;

    /** Reads the table of the module of hooks. */
    public HookGenerator() throws IOException {
        try (InputStream in = HookGenerator.class.getResourceAsStream("hooks.txt")) {
            table = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    HookGenerator(String table) {
        this.table = table;
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
        if (!isDone) {
            isDone = true;
            Map<String, String> methods = new TreeMap<>();
            String[] lines = table.split("\n");
            for (int i = 0; i < lines.length; i++) {
                int recording = lines[i].indexOf(" | ");
                if (recording >= 0 && !lines[i].startsWith("#")) {
                    try {
                        add(
                                methods,
                                lines[i].substring(0, recording).trim().split(" "),
                                lines[i].substring(recording + 3));
                    } catch (IllegalArgumentException e) {
                        processingEnv
                                .getMessager()
                                .printMessage(Diagnostic.Kind.ERROR, "hooks.txt:" + (i + 1) + ": " + e.getMessage());
                    }
                }
            }
            methods.forEach(this::write);
        }
        return true; // no other processor looks for annotations
    }

    private void add(Map<String, String> methods, String[] fields, String recording) {
        if (fields.length != 5) {
            throw new IllegalArgumentException(
                    "a hook that records has five fields before \"|\", not " + fields.length);
        }
        if (!KINDS.contains(fields[0])) {
            throw new IllegalArgumentException("a line that records begins with call, inherited or static");
        }
        String name = fields[1].split(",")[0].replace('$', '.');
        TypeElement owner = processingEnv.getElementUtils().getTypeElement(name);
        if (owner == null) {
            throw new IllegalArgumentException("the class path has no class " + name);
        }
        ExecutableElement hooked =
                ElementFilter.methodsIn(processingEnv.getElementUtils().getAllMembers(owner)).stream()
                        .filter(method -> method.getSimpleName().contentEquals(fields[2])
                                && descriptor(method).equals(fields[3]))
                        .findFirst()
                        .orElseThrow(
                                () -> new IllegalArgumentException(name + " has no method " + fields[2] + fields[3]));
        if (hooked.getModifiers().contains(Modifier.STATIC) != fields[0].equals("static")) {
            throw new IllegalArgumentException("a line begins with static if, and only if, the method is static");
        }
        methods.merge(
                fields[4],
                new GeneratedHook(owner, hooked, recording).source(),
                (first, second) -> first + "\n" + second);
    }

    private void write(String className, String methods) {
        String packageName = className.substring(0, className.lastIndexOf('.'));
        String simpleName = className.substring(packageName.length() + 1);
        try (Writer out = processingEnv.getFiler().createSourceFile(className).openWriter()) {
            out.write("package " + packageName
                    + ";\n\nimport org.navitas.hooks.base.Api;\nimport org.navitas.runtime.Hook;\n\n"
                    + "/** Hooks that hooks.txt describes. */\n@SuppressWarnings(\"deprecation\")\n"
                    + (simpleName.startsWith(NEWER) ? "@org.navitas.hooks.base.NewerPlatform\n" : "")
                    + "public final class " + simpleName + " {\n  private " + simpleName + "() {}\n\n" + methods
                    + "}\n");
        } catch (IOException e) { // also if the class is there: it would have hooks of both kinds
            processingEnv
                    .getMessager()
                    .printMessage(
                            Diagnostic.Kind.ERROR,
                            "cannot generate " + className + " from hooks.txt: " + e.getMessage());
        }
    }

    private String descriptor(ExecutableElement method) {
        return method.getParameters().stream()
                        .map(parameter -> descriptor(parameter.asType()))
                        .collect(Collectors.joining("", "(", ")"))
                + descriptor(method.getReturnType());
    }

    private String descriptor(TypeMirror type) {
        if (type.getKind() == TypeKind.ARRAY) {
            return "[" + descriptor(((ArrayType) type).getComponentType());
        }
        TypeMirror erased = processingEnv.getTypeUtils().erasure(type);
        if (erased.getKind() == TypeKind.DECLARED) {
            TypeElement element = (TypeElement) processingEnv.getTypeUtils().asElement(erased);
            return "L"
                    + processingEnv
                            .getElementUtils()
                            .getBinaryName(element)
                            .toString()
                            .replace('.', '/') + ";";
        }
        return PRIMITIVES.get(erased.getKind());
    }
}

package org.navitas.census;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.ClassFile;
import javassist.bytecode.LineNumberAttribute;
import javassist.bytecode.MethodInfo;

/** Joins the methods of a class with those of its source. */
final class ClassJoin {
    private final ClassFile file;
    private final InstructionTable table;
    private final Map<MethodInfo, SourceMethod> pairs = new HashMap<>();
    private final boolean hasSource;
    /** Whether a method of the class is not where its source is: the class is of another build. */
    private boolean differs;

    ClassJoin(ClassFile file, InstructionTable table, SourceCode code) {
        this.file = file;
        this.table = table;
        List<SourceMethod> sources = code.methods(file.getName());
        hasSource = sources != null;
        if (hasSource) {
            List<SourceMethod> open = new ArrayList<>(sources);
            // Inner lambdas have fewer lines, and must be found before those around them.
            open.sort(Comparator.comparingInt(each -> each.lastLine - each.firstLine));
            open.forEach(this::pair);
        }
    }

    boolean differs() {
        return differs;
    }

    private void pair(SourceMethod source) {
        List<MethodInfo> candidates = new ArrayList<>();
        for (MethodInfo method : file.getMethods()) {
            if (!pairs.containsKey(method) && isCandidate(method, source)) {
                candidates.add(method);
            }
        }
        if (candidates.size() > 1 && source.parameters != null) {
            candidates = candidates.stream()
                    .filter(each -> parameters(each).equals(source.parameters))
                    .collect(Collectors.toList());
        }
        if (candidates.size() == 1) {
            pairs.put(candidates.get(0), source);
        }
        differs |= candidates.isEmpty()
                && source.parameters != null
                && !source.name.startsWith("<")
                && file.getMethods().stream().anyMatch(each -> isElsewhere(each, source));
    }

    private boolean isElsewhere(MethodInfo method, SourceMethod source) {
        int[] lines = lines(method);
        return lines != null
                && !pairs.containsKey(method)
                && method.getName().equals(source.name)
                && !isImplied(method)
                && parameters(method).equals(source.parameters)
                && (lines[1] > source.lastLine || lines[0] < source.firstLine);
    }

    /** Returns whether the compiler made a method that no source has. */
    private boolean isImplied(MethodInfo method) {
        boolean ofEnum = (file.getAccessFlags() & AccessFlag.ENUM) != 0
                && (method.getName().equals("values") && method.getDescriptor().startsWith("()")
                        || method.getName().equals("valueOf")
                                && method.getDescriptor().startsWith("(Ljava/lang/String;)"));
        return ofEnum || (method.getAccessFlags() & (AccessFlag.BRIDGE | AccessFlag.SYNTHETIC)) != 0;
    }

    private boolean isCandidate(MethodInfo method, SourceMethod source) {
        int[] lines = lines(method);
        if (lines == null) {
            return false;
        }
        if (source.name.equals("lambda$")) {
            return method.getName().startsWith("lambda$")
                    && lines[0] >= source.firstLine
                    && lines[1] <= source.lastLine;
        }
        if (!method.getName().equals(source.name) || isImplied(method)) {
            return false;
        }
        boolean initialiser = source.name.equals("<init>") || source.name.equals("<clinit>");
        if (initialiser) {
            return source.implied || source.name.equals("<clinit>") || anyLine(method, source);
        }
        boolean sameParameters = source.parameters == null || parameters(method).equals(source.parameters);
        return sameParameters && lines[0] >= source.firstLine && lines[1] <= source.lastLine;
    }

    /** A constructor also has the lines of the initialisers of fields. */
    private static boolean anyLine(MethodInfo method, SourceMethod source) {
        LineNumberAttribute lines = lineNumbers(method);
        for (int i = 0; i < lines.tableLength(); i++) {
            if (lines.lineNumber(i) >= source.firstLine && lines.lineNumber(i) <= source.lastLine) {
                return true;
            }
        }
        return false;
    }

    private static LineNumberAttribute lineNumbers(MethodInfo method) {
        return method.getCodeAttribute() == null
                ? null
                : (LineNumberAttribute) method.getCodeAttribute().getAttribute(LineNumberAttribute.tag);
    }

    private static int[] lines(MethodInfo method) {
        LineNumberAttribute lines = lineNumbers(method);
        if (lines == null || lines.tableLength() == 0) {
            return null;
        }
        int low = Integer.MAX_VALUE;
        int high = 0;
        for (int i = 0; i < lines.tableLength(); i++) {
            low = Math.min(low, lines.lineNumber(i));
            high = Math.max(high, lines.lineNumber(i));
        }
        return new int[] {low, high};
    }

    /** Returns a method's parameters as {@link SourceTypes#descriptor} writes them. */
    private static String parameters(MethodInfo method) {
        String descriptor = method.getDescriptor();
        return descriptor.substring(1, descriptor.indexOf(')')).replaceAll("L[^;]+;", "L;");
    }

    /** Returns the census of a method by its source where possible, or that of its bytecode with the reason. */
    MethodCensus count(MethodInfo method, MethodCensus bytecode) {
        SourceMethod source = pairs.get(method);
        if (lines(method) == null) {
            bytecode.note = "no line numbers";
        } else if (!hasSource) {
            bytecode.note = "no source";
        } else if (source == null && isImplied(method) && !method.getName().startsWith("lambda$")) {
            bytecode.note = "made by the compiler";
        } else if (source == null) {
            bytecode.note = "no method of the source has its lines";
        } else if (source.problem != null) {
            bytecode.note = source.problem;
        } else {
            return MethodJoin.join(file, method, bytecode, table, source);
        }
        return bytecode;
    }
}

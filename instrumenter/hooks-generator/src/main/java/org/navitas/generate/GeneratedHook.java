package org.navitas.generate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;

/**
 * A hook that records a call as its line of the table says, after {@code |}. First comes what the call is recorded as:
 *
 * <ul>
 *   <li>{@code SQLITE DATABASE}: a call of an {@code Api}, and as long as it lasts a use of a kind, by the object;
 *   <li>{@code GNSS}: a call of an {@code Api}; {@code end} records the use;
 *   <li>{@code ProviderCall}: an object of this class of the hook's package, from its {@code begin()} to its {@code
 *       end(call, …)}, whose further arguments are {@code end}.
 * </ul>
 *
 * <p>Then come parts, each {@code ; name: code}. The code is Java. In it, {@code $0} is the object, {@code $1} the first
 * argument, and {@code $_} the result, which is null, false or 0 if the call throws. {@code start} is the time of the
 * call, and {@code done} the amount, or {@code Hook.FAILED} if the call throws.
 *
 * <ul>
 *   <li>{@code when}: a condition of the record;
 *   <li>{@code before}: a statement before the call, such as {@code $1 = Once.of($1)};
 *   <li>{@code amount}: what the call moves or uses, once it has returned; 0 without this part;
 *   <li>{@code then}: a statement after a call that has not thrown. If it throws, the call is recorded as one that has
 *       returned, since it has;
 *   <li>{@code end}: a statement after each call. It calls {@code Hook.end} or {@code Hook.leave}, also if it throws.
 * </ul>
 */
final class GeneratedHook {
    private static final Set<String> PARTS = Set.of("when", "before", "amount", "then", "end");

    private final TypeElement owner;
    private final ExecutableElement method;
    private final String[] recorded;
    private final Map<String, String> parts = new HashMap<>();

    /**
     * Parses what follows {@code |} in a line.
     *
     * @throws IllegalArgumentException if it is not of this form
     */
    GeneratedHook(TypeElement owner, ExecutableElement method, String recording) {
        this.owner = owner;
        this.method = method;
        String[] fields = recording.split(";");
        recorded = fields[0].trim().split(" ");
        for (int i = 1; i < fields.length; i++) {
            String[] part = fields[i].trim().split(": ", 2);
            if (part.length < 2 || !PARTS.contains(part[0]) || parts.put(part[0], code(part[1])) != null) {
                throw new IllegalArgumentException(
                        "\"" + fields[i].trim() + "\": the parts, each once, are when, before, amount, then, end");
            }
        }
        if (recorded.length > 2 || recorded.length == 2 == parts.containsKey("end")) {
            throw new IllegalArgumentException("an API has a kind of use or an \"end\", and a class has an \"end\"");
        }
    }

    /** Returns the source of the method. */
    String source() {
        List<String> parameters = new ArrayList<>();
        List<String> arguments = new ArrayList<>();
        if (!isStatic()) {
            parameters.add(owner.getQualifiedName() + " self");
        }
        for (int i = 1; i <= method.getParameters().size(); i++) {
            parameters.add(method.getParameters().get(i - 1).asType() + " p" + i);
            arguments.add("p" + i);
        }
        String call = (isStatic() ? owner.getQualifiedName() : "self") + "." + method.getSimpleName() + "("
                + String.join(", ", arguments) + ");";
        String thrown =
                method.getThrownTypes().stream().map(TypeMirror::toString).collect(Collectors.joining(", "));
        return "  /** Hook of {@code " + owner.getQualifiedName() + "." + method.getSimpleName() + "}. */\n"
                + "  public static " + method.getReturnType() + " " + method.getSimpleName() + "("
                + String.join(", ", parameters) + ")"
                + (thrown.isEmpty() ? "" : " throws " + thrown) + " {\n"
                + (parts.containsKey("when")
                        ? "    if (!(" + parts.get("when") + ")) {\n      " + unrecorded(call) + "\n    }\n"
                        : "")
                + statement("    ", "before")
                + (isVoid() ? "" : "    " + method.getReturnType() + " result = " + zero() + ";\n")
                + (isApi()
                        ? "    long start = Hook.begin(Api." + recorded[0] + ");\n    long done = Hook.FAILED;\n"
                        : "    " + recorded[0] + " call = " + recorded[0] + ".begin();\n")
                + "    try {\n      " + (isVoid() ? "" : "result = ") + call + "\n"
                + (isApi() ? "      done = " + parts.getOrDefault("amount", "0") + ";\n" : "")
                + statement("      ", "then")
                + (isVoid() ? "" : "      return result;\n")
                + "    } finally {\n      " + end() + "\n    }\n  }\n";
    }

    private String end() {
        if (!isApi()) {
            return recorded[0] + ".end(call, " + parts.get("end") + ");";
        }
        return recorded.length == 1
                ? parts.get("end") + ";"
                : "Hook.end(Api." + recorded[0] + ", start, Hook." + recorded[1] + ", 0, done, System.identityHashCode("
                        + code(isStatic() ? "$1" : "$0") + "));";
    }

    private String unrecorded(String call) {
        return isVoid() ? call + "\n      return;" : "return " + call;
    }

    private String statement(String indent, String part) {
        return parts.containsKey(part) ? indent + parts.get(part) + ";\n" : "";
    }

    /** Returns whether the call is recorded as one of an API, whose names are in capitals. */
    private boolean isApi() {
        return recorded[0].chars().noneMatch(Character::isLowerCase);
    }

    private boolean isStatic() {
        return method.getModifiers().contains(Modifier.STATIC);
    }

    private boolean isVoid() {
        return method.getReturnType().getKind() == TypeKind.VOID;
    }

    private String zero() {
        TypeKind kind = method.getReturnType().getKind();
        return kind == TypeKind.BOOLEAN ? "false" : kind.isPrimitive() ? "0" : "null";
    }

    private static String code(String text) {
        return text.replace("$_", "result").replace("$0", "self").replaceAll("\\$(\\d)", "p$1");
    }
}

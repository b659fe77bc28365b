package org.navitas.instrument.testing;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.eclipse.jdt.core.compiler.batch.BatchCompiler;
import org.jetbrains.kotlin.cli.common.ExitCode;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;
import org.navitas.instrument.code.ClassScan;
import org.navitas.instrument.code.MalformedClassException;

/** Compiles sources of any Java version that the JDK supports, unlike the module's compiler settings. */
public final class Compiled {
    private static final int OWN_JAVA =
            Integer.parseInt(System.getProperty("java.specification.version").replace("1.", ""));
    private static final int JAVA_0 = 44;
    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    /** Keeps the class path open: to open it takes ten times as long as to compile a small class. */
    private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

    private Compiled() {}

    /** Compiles a source of any Java version into a folder. */
    public static void any(Path folder, int release, String name, String source) throws IOException {
        if (release <= OWN_JAVA) {
            into(folder, release, name, source);
        } else {
            newer(folder, release, name, source);
        }
    }

    /**
     * Returns a class file that this JVM loads. Only its version, and one exception of Java 21, prevent it from loading a
     * newer one; its verifier is as strict.
     */
    public static byte[] loadable(byte[] original) throws MalformedClassException {
        if (ClassScan.majorOf(original) - JAVA_0 <= OWN_JAVA) {
            return original;
        }
        byte[] bytes = original.clone();
        ByteBuffer.wrap(bytes).putShort(6, (short) (OWN_JAVA + JAVA_0));
        String known = new String(bytes, StandardCharsets.ISO_8859_1)
                .replace("java/lang/MatchException", "java/lang/AssertionError");
        return known.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Compiles top-level sources, each with the name of its public class, into a folder. */
    public static void into(Path folder, int release, String... namesAndSources) throws IOException {
        Files.createDirectories(folder);
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        List<JavaFileObject> units = new ArrayList<>();
        for (int i = 0; i < namesAndSources.length; i += 2) {
            String text = namesAndSources[i + 1];
            units.add(
                    new SimpleJavaFileObject(
                            URI.create("string:///" + namesAndSources[i].replace('.', '/') + ".java"),
                            JavaFileObject.Kind.SOURCE) {
                        @Override
                        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                            return text;
                        }
                    });
        }
        List<String> options =
                Arrays.asList("-d", folder.toString(), "--release", String.valueOf(release), "-g", "-Xlint:none");
        boolean compiled =
                COMPILER.getTask(null, FILES, problems, options, null, units).call();
        assertTrue(problems.getDiagnostics().toString(), compiled);
    }

    /** Compiles sources of a Java version that can be newer than the JDK's, if they use none of its classes. */
    private static void newer(Path folder, int release, String name, String source) throws IOException {
        Files.createDirectories(folder);
        Path file = folder.resolveSibling(name.substring(name.lastIndexOf('.') + 1) + ".java");
        Files.write(file, source.getBytes(StandardCharsets.UTF_8));
        StringWriter said = new StringWriter();
        String[] arguments = {"-" + release, "-g", "-nowarn", "-proc:none", "-d", folder.toString(), file.toString()};
        boolean compiled = BatchCompiler.compile(arguments, new PrintWriter(said), new PrintWriter(said), null);
        assertTrue(said.toString(), compiled);
    }

    /** Compiles one Kotlin source into a folder. */
    public static void kotlin(Path folder, String name, String source, String... options) throws IOException {
        Files.createDirectories(folder);
        Path file = folder.resolveSibling(name);
        Files.write(file, source.getBytes(StandardCharsets.UTF_8));
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        List<String> arguments = new ArrayList<>(Arrays.asList(
                "-no-stdlib",
                "-no-reflect",
                "-nowarn",
                "-jvm-target",
                "1.8",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString(),
                file.toString()));
        arguments.addAll(Arrays.asList(options));
        ExitCode exit = new K2JVMCompiler().exec(new PrintStream(said), arguments.toArray(new String[0]));
        assertEquals(said.toString(), ExitCode.OK, exit);
    }
}

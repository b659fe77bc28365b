package org.navitas.generate;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A line of the table becomes a hook that does what the method does, and records. */
public class HookGeneratorTest {
    private static final String FILE_SYNC =
            "call java.io.FileDescriptor sync ()V org.navitas.hooks.Files | FILE_SYNC FILE_SYNC\n";
    /** What generated hooks use. */
    private static final Map<String, String> USED = Map.of(
            "org.navitas.hooks.base.Api",
                    "public final class Api { public static final int FILE_SYNC = 2, SQLITE = 28; }",
            "org.navitas.hooks.Once",
                    "final class Once { static Once begin() { return null; } static void end(Once call, Object by) {}"
                            + " }",
            "org.navitas.runtime.Hook",
                    "public final class Hook { public static final int FAILED = -1, FILE_SYNC = 3; public static long"
                            + " begin(int api) { return 0; } public static void end(int api, long start, int kind, int"
                            + " flags, long amount, long handle) {} }");

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    /** Compiles with a table, and returns the errors. */
    private List<String> compile(String table) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<JavaFileObject> sources =
                USED.entrySet().stream().map(HookGeneratorTest::source).collect(Collectors.toList());
        JavaCompiler.CompilationTask task = compiler.getTask(
                null,
                null,
                found,
                List.of("-d", folder.getRoot().getPath(), "-s", folder.getRoot().getPath()),
                null,
                sources);
        task.setProcessors(List.of(new HookGenerator(table)));
        task.call();
        return found.getDiagnostics().stream()
                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(each -> each.getMessage(null))
                .collect(Collectors.toList());
    }

    private static JavaFileObject source(Map.Entry<String, String> type) {
        String name = type.getKey();
        return new SimpleJavaFileObject(
                URI.create("string:///" + name.replace('.', '/') + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreErrors) {
                return "package " + name.substring(0, name.lastIndexOf('.')) + "; " + type.getValue();
            }
        };
    }

    private String generated(String table) throws Exception {
        assertEquals(List.of(), compile(table));
        return Files.readString(Path.of(folder.getRoot().getPath(), "org/navitas/hooks/Files.java"));
    }

    @Test
    public void hookEndsItsUseAlsoIfTheCallThrows() throws Exception {
        String source = generated(
                FILE_SYNC + "start android.app.Service onDestroy ()V org.navitas.hooks.Destroyed\n# a | comment\n");
        assertTrue(source, source.contains("""
              public static void sync(java.io.FileDescriptor self) throws java.io.SyncFailedException {
                long start = Hook.begin(Api.FILE_SYNC);
                long done = Hook.FAILED;
                try {
                  self.sync();
                  done = 0;
                } finally {
                  Hook.end(Api.FILE_SYNC, start, Hook.FILE_SYNC, 0, done, System.identityHashCode(self));
                }
              }
            """));
    }

    @Test
    public void partsStandWhereTheyAct() throws Exception {
        String source = generated("static java.lang.Thread onSpinWait ()V org.navitas.hooks.Files | Once; end: null\n"
                + "call java.lang.String indexOf (II)I org.navitas.hooks.Files | SQLITE; when: $2 > 0; before: $1 ="
                + " Math.abs($1); amount: $_ + 1; then: $0.trim(); end: Hook.end(Api.SQLITE, start, 2, 0, done, $_)\n");
        assertTrue(source, source.contains("""
              public static void onSpinWait() {
                Once call = Once.begin();
                try {
                  java.lang.Thread.onSpinWait();
                } finally {
                  Once.end(call, null);
                }
              }
            """));
        assertTrue(source, source.contains("""
              public static int indexOf(java.lang.String self, int p1, int p2) {
                if (!(p2 > 0)) {
                  return self.indexOf(p1, p2);
                }
                p1 = Math.abs(p1);
                int result = 0;
                long start = Hook.begin(Api.SQLITE);
                long done = Hook.FAILED;
                try {
                  result = self.indexOf(p1, p2);
                  done = result + 1;
                  self.trim();
                  return result;
                } finally {
                  Hook.end(Api.SQLITE, start, 2, 0, done, result);
                }
              }
            """));
    }

    @Test
    public void badLineIsNamedWithItsCause() throws Exception {
        for (String[] each : new String[][] {
            {
                "call java.io.FileDescriptor sync ()V org.navitas.hooks.Files | FILE_SYNC\n",
                "an API has a kind of use or an \"end\""
            },
            {
                "call java.io.FileDescriptor sync ()V org.navitas.hooks.Files | FILE_SYNC FILE_SYNC; after: x()\n",
                "\"after: x()\": the parts, each once, are"
            },
            {
                "call java.io.FileDescriptor sync ()I org.navitas.hooks.Files | FILE_SYNC FILE_SYNC\n",
                "java.io.FileDescriptor has no method sync()I"
            },
            {
                "call java.io.NoFile sync ()V org.navitas.hooks.Files | FILE_SYNC FILE_SYNC\n",
                "the class path has no class java.io.NoFile"
            },
            {"call java.io.FileDescriptor sync ()V | FILE_SYNC FILE_SYNC\n", "has five fields"},
            {
                "start java.io.FileDescriptor sync ()V org.navitas.hooks.Files | FILE_SYNC FILE_SYNC\n",
                "begins with call, inherited or static"
            },
            {
                "static java.io.FileDescriptor sync ()V org.navitas.hooks.Files | FILE_SYNC FILE_SYNC\n",
                "if, and only if, the method is static"
            },
            {
                "call java.lang.Thread onSpinWait ()V org.navitas.hooks.Files | FILE_SYNC FILE_SYNC\n",
                "if, and only if, the method is static"
            },
        }) {
            List<String> errors = compile("\n" + each[0]);
            assertEquals(1, errors.size());
            assertTrue(
                    errors.toString(),
                    errors.get(0).startsWith("hooks.txt:2: ") && errors.get(0).contains(each[1]));
        }
    }
}

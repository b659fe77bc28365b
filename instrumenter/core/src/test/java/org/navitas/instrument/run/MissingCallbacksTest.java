package org.navitas.instrument.run;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.AnnotationsAttribute;
import javassist.bytecode.ClassFile;
import javassist.bytecode.MethodInfo;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameter;
import org.junit.runners.Parameterized.Parameters;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.hooks.Callbacks;
import org.navitas.instrument.testing.Compiled;
import org.navitas.instrument.testing.MapText;
import org.navitas.runtime.Probe;

/** Classes of the app get the callbacks that they lack, and nothing else of them changes. */
@RunWith(Parameterized.class)
public class MissingCallbacksTest {
    private static final String NEW_INTENT = "onNewIntent(Landroid/content/Intent;)V";
    private static final String CREATE = "onCreate(Landroid/os/Bundle;)V";
    private static final String RESULT = "onActivityResult(IILandroid/content/Intent;)V";
    private static final String RECEIVE = "onReceive(Landroid/content/Context;Landroid/content/Intent;)V";
    /** What stands for Android and for the hooks. */
    private static final String[] PLATFORM = {
        "android.content.Intent", "package android.content; public class Intent {}",
        "android.content.Context", "package android.content; public class Context {}",
        "android.os.Bundle", "package android.os; public class Bundle {}",
        "android.app.Activity",
                "package android.app; public class Activity {\n"
                        + "  protected void onCreate(android.os.Bundle state) { log.Log.add(\"super onCreate\"); }\n"
                        + "  protected void onNewIntent(android.content.Intent intent) { log.Log.add(\"super"
                        + " onNewIntent\"); }\n"
                        + "  protected void onActivityResult(int request, int result, android.content.Intent data) {"
                        + " log.Log.add(\"super \" + request + \" \" + result); }\n"
                        + "  public final void deliver() { onCreate(null); onNewIntent(null); onActivityResult(1, 2,"
                        + " null); }\n"
                        + "}",
        "android.content.BroadcastReceiver",
                "package android.content; public abstract class BroadcastReceiver {\n"
                        + "  public abstract void onReceive(Context context, Intent intent);\n"
                        + "}",
        "android.appwidget.AppWidgetProvider",
                "package android.appwidget; public class AppWidgetProvider extends android.content.BroadcastReceiver"
                        + " {\n"
                        + "  public void onReceive(android.content.Context context, android.content.Intent intent) {"
                        + " log.Log.add(\"super onReceive\"); }\n"
                        + "}",
        "log.Log",
                "package log; public class Log {\n"
                        + "  public static final java.util.List<String> ALL = new java.util.ArrayList<>();\n"
                        + "  public static void add(String line) { ALL.add(line); }\n"
                        + "  public static void add(String name, Object self, Class<?> in) { add(name + \" \" +"
                        + " self.getClass().getSimpleName() + \" in \" + in.getSimpleName()); }\n"
                        + "}",
        "org.navitas.hooks.intents.Receivers",
                "package org.navitas.hooks.intents; import android.content.*; public class Receivers {\n"
                        + "  public static void onCreate(Object self, android.os.Bundle state, Class<?> in) {"
                        + " log.Log.add(\"onCreate\", self, in); }\n"
                        + "  public static void onNewIntent(Object self, Intent intent, Class<?> in) {"
                        + " log.Log.add(\"onNewIntent\", self, in); }\n"
                        + "  public static void onActivityResult(Object self, int q, int r, Intent data, Class<?> in) {"
                        + " log.Log.add(\"onActivityResult\", self, in); }\n"
                        + "  public static void onReceive(Object self, Context context, Intent intent, Class<?> in) {"
                        + " log.Log.add(\"onReceive\", self, in); }\n"
                        + "}",
        "org.navitas.hooks.intents.UnhandledResults",
                "package org.navitas.hooks.intents; public class UnhandledResults {\n"
                    + "  public static void onActivityResult(Object self, int q, int r, android.content.Intent data,"
                    + " Class<?> in) { log.Log.add(\"unhandled \" + q + \" \" + r); }\n"
                    + "}"
    };

    private static final String[] LIBRARY = {
        "lib.Component",
                "package lib; public class Component extends android.app.Activity {\n"
                        + "  public void onNewIntent(android.content.Intent intent) { log.Log.add(\"lib onNewIntent\");"
                        + " super.onNewIntent(intent); }\n"
                        + "}",
        "lib.Closed",
                "package lib; public abstract class Closed extends android.app.Activity {\n"
                        + "  @Override protected final void onNewIntent(android.content.Intent intent) {}\n"
                        + "  @Override protected abstract void onCreate(android.os.Bundle state);\n"
                        + "}"
    };
    private static final String[] APP = {
        "p.Bare", "package p; public class Bare extends android.app.Activity { public int one() { return 1; } }",
        "p.Own",
                "package p; public class Own extends android.app.Activity {\n"
                    + "  @Override protected void onNewIntent(android.content.Intent intent) { log.Log.add(\"own\");"
                    + " super.onNewIntent(intent); }\n"
                    + "}",
        "p.Derived", "package p; public class Derived extends Bare {}",
        "p.Deep",
                "package p; public class Deep extends Derived {\n"
                    + "  @Override protected void onNewIntent(android.content.Intent intent) { log.Log.add(\"deep\");"
                    + " super.onNewIntent(intent); }\n"
                    + "}",
        "p.Modern", "package p; public class Modern extends lib.Component {}",
        "p.Restricted", "package p; public abstract class Restricted extends lib.Closed {}",
        "p.Widget", "package p; public class Widget extends android.appwidget.AppWidgetProvider {}",
        "p.Receiver", "package p; public abstract class Receiver extends android.content.BroadcastReceiver {}",
        "p.Other", "package p; public class Other extends Thread {}"
    };

    @Parameter
    public int release;

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    private Path root;

    @Parameters(name = "Java {0}")
    public static List<Integer> releases() {
        return Arrays.asList(8, 17);
    }

    @Before
    public void compile() throws Exception {
        root = temporary.getRoot().toPath();
        compileAll(PLATFORM, LIBRARY, APP);
    }

    @After
    public void leaveNoProbes() {
        Probe.take();
    }

    @Test
    public void classesGetWhatTheyAndThoseAboveLack() throws Exception {
        instrument(Options.builder().hooks(true, false).build(), true);
        assertEquals(
                Arrays.asList("protected " + CREATE, "protected " + NEW_INTENT, "protected " + RESULT),
                added("p.Bare"));
        assertEquals(Arrays.asList("protected " + CREATE, "protected " + RESULT), added("p.Own"));
        assertEquals("its superclass gets them", Collections.emptyList(), added("p.Derived"));
        assertEquals(Collections.emptyList(), added("p.Deep"));
        assertEquals(
                "as in its superclass",
                Arrays.asList("protected " + CREATE, "public " + NEW_INTENT, "protected " + RESULT),
                added("p.Modern"));
        assertEquals(
                "final and abstract methods", Collections.singletonList("protected " + RESULT), added("p.Restricted"));
        assertEquals(Collections.singletonList("public " + RECEIVE), added("p.Widget"));
        assertEquals(Collections.emptyList(), added("p.Receiver"));
        assertEquals(Collections.emptyList(), added("p.Other"));
    }

    @Test
    public void addedCallbacksCallTheHookAndThenTheSuperclass() throws Exception {
        instrument(Options.builder().hooks(true, false).build(), true);
        assertEquals(
                Arrays.asList(
                        "onCreate Bare in Bare",
                        "super onCreate",
                        "onNewIntent Bare in Bare",
                        "super onNewIntent",
                        "unhandled 1 2",
                        "super 1 2"),
                delivered("p.Bare"));
        assertEquals(
                Arrays.asList("onNewIntent Own in Own", "own", "super onNewIntent"),
                delivered("p.Own").subList(2, 5));
        assertEquals(
                Arrays.asList("onNewIntent Derived in Bare", "super onNewIntent"),
                delivered("p.Derived").subList(2, 4));
        assertEquals(
                Arrays.asList("onNewIntent Deep in Deep", "deep", "onNewIntent Deep in Bare", "super onNewIntent"),
                delivered("p.Deep").subList(2, 6));
        assertEquals(
                Arrays.asList("onNewIntent Modern in Modern", "lib onNewIntent", "super onNewIntent"),
                delivered("p.Modern").subList(2, 5));
        assertEquals(Arrays.asList("onReceive Widget in Widget", "super onReceive"), delivered("p.Widget"));
    }

    @Test
    public void addedCallbacksHaveNoProbesAndAreNotInTheMap() throws Exception {
        instrument(Options.builder().hooks(true, false).build(), true);
        MapText map = MapText.of(root.resolve("map.json"));
        assertEquals(
                Arrays.asList("onNewIntent", "onNewIntent"),
                map.methods().stream().filter(name -> name.matches("on[A-Z].*")).collect(Collectors.toList()));
        assertFalse(map.text.contains("onActivityResult"));
        Probe.take();
        delivered("p.Bare");
        assertEquals("a constructor", 2, Probe.take().size());
    }

    @Test
    public void withoutHooksNothingIsAdded() throws Exception {
        instrument(Options.defaults(), true);
        for (int i = 0; i < APP.length; i += 2) {
            assertEquals(APP[i], Collections.emptyList(), added(APP[i]));
        }
    }

    @Test
    public void superclassThatIsNoInputIsNotKnown() throws Exception {
        instrument(Options.builder().hooks(true, false).build(), false);
        assertEquals(Collections.emptyList(), added("p.Modern"));
        assertEquals(3, added("p.Bare").size());
    }

    @Test
    public void excludedClassesGetNothingAndThoseBelowDo() throws Exception {
        instrument(
                Options.builder()
                        .exclude(Collections.singletonList("p.Bare"))
                        .hooks(true, false)
                        .build(),
                true);
        assertEquals(Collections.emptyList(), added("p.Bare"));
        assertEquals(3, added("p.Derived").size());
    }

    @Test
    public void hookedLibraryReceivesItself() throws Exception {
        instrument(Options.builder().hooks(true, true).build(), true);
        assertEquals(Arrays.asList("protected " + CREATE, "protected " + RESULT), added("p.Modern"));
        assertEquals(
                Arrays.asList("onNewIntent Modern in Component", "lib onNewIntent", "super onNewIntent"),
                delivered("p.Modern").subList(2, 5));
    }

    @Test
    public void otherLibraryGivesAnotherResultOfEqualClasses() throws Exception {
        Options options = Options.builder().hooks(true, false).build();
        instrument(options, true);
        assertTrue(added("p.Modern").contains("public " + NEW_INTENT));
        String[] newer = LIBRARY.clone();
        newer[1] = newer[1].replace("public void", "public final void");
        compileAll(PLATFORM, newer, APP);
        instrument(options, true);
        assertEquals(Arrays.asList("protected " + CREATE, "protected " + RESULT), added("p.Modern"));
        assertEquals("lib onNewIntent", delivered("p.Modern").get(2));
    }

    @Test
    public void damagedClassesAreNotKnown() throws Exception {
        Path library = root.resolve("lib/lib/Component.class");
        byte[] bytes = Files.readAllBytes(library);
        Files.write(library, Arrays.copyOf(bytes, bytes.length - 40)); // its names can still be read
        instrument(Options.builder().hooks(true, false).build(), true);
        assertEquals(Collections.emptyList(), added("p.Modern"));
    }

    /** Compiles Android and the hooks, a library, and the app, into folders of their own. */
    private void compileAll(String[]... parts) throws Exception {
        Path all = temporary.newFolder().toPath();
        List<String> sources = new ArrayList<>();
        Arrays.stream(parts).forEach(part -> sources.addAll(Arrays.asList(part)));
        Compiled.into(all, release, sources.toArray(new String[0]));
        String[] folders = {"platform", "lib", "app"};
        for (int i = 0; i < parts.length; i++) {
            for (int j = 0; j < parts[i].length; j += 2) {
                String path = parts[i][j].replace('.', '/') + ".class";
                Path to = root.resolve(folders[i]).resolve(path);
                Files.createDirectories(to.getParent());
                Files.write(to, Files.readAllBytes(all.resolve(path)));
            }
        }
    }

    private void instrument(Options options, boolean withLibrary) throws Exception {
        List<Input> inputs = new ArrayList<>();
        inputs.add(new Input(root.resolve("app"), root.resolve("app-out"), Input.MAIN, ":"));
        if (withLibrary) {
            inputs.add(new Input(root.resolve("lib"), root.resolve("lib-out"), Input.DEPENDENCY, ":"));
        }
        assertEquals(
                Collections.emptyList(),
                BulkInstrumenter.run(inputs, options, root.resolve("map.json")).warnings().stream()
                        .filter(line -> !line.contains("malformed"))
                        .collect(Collectors.toList()));
    }

    /** Returns the methods that a class has now and had not, which hooks recognise. */
    private List<String> added(String name) throws Exception {
        String path = name.replace('.', '/') + ".class";
        List<String> before = methods(root.resolve("app").resolve(path)).stream()
                .map(MissingCallbacksTest::key)
                .collect(Collectors.toList());
        List<String> found = new ArrayList<>();
        for (MethodInfo method : methods(root.resolve("app-out").resolve(path))) {
            if (!before.contains(key(method))) {
                AnnotationsAttribute marks =
                        (AnnotationsAttribute) method.getAttribute(AnnotationsAttribute.visibleTag);
                assertEquals(Callbacks.MARK, marks.getAnnotations()[0].getTypeName());
                int flags = method.getAccessFlags();
                assertTrue((flags & AccessFlag.SYNTHETIC) != 0);
                found.add((AccessFlag.isPublic(flags) ? "public " : AccessFlag.isProtected(flags) ? "protected " : "")
                        + key(method));
            }
        }
        return found;
    }

    private static List<MethodInfo> methods(Path file) throws Exception {
        return new ClassFile(new DataInputStream(new ByteArrayInputStream(Files.readAllBytes(file)))).getMethods();
    }

    private static String key(MethodInfo method) {
        return method.getName() + method.getDescriptor();
    }

    /** Returns what an object of the app notes while its callbacks are called. */
    @SuppressWarnings("unchecked")
    private List<String> delivered(String name) throws Exception {
        Path library = Files.exists(root.resolve("lib-out")) ? root.resolve("lib-out") : root.resolve("lib");
        URL[] places = {
            root.resolve("platform").toUri().toURL(),
            root.resolve("app-out").toUri().toURL(),
            library.toUri().toURL()
        };
        try (URLClassLoader loader = new URLClassLoader(places, MissingCallbacksTest.class.getClassLoader())) {
            Object made = loader.loadClass(name).getDeclaredConstructor().newInstance();
            if (name.equals("p.Widget")) {
                made.getClass()
                        .getMethod(
                                "onReceive",
                                loader.loadClass("android.content.Context"),
                                loader.loadClass("android.content.Intent"))
                        .invoke(made, null, null);
            } else {
                made.getClass().getMethod("deliver").invoke(made);
            }
            return new ArrayList<>(
                    (List<String>) loader.loadClass("log.Log").getField("ALL").get(null));
        }
    }
}

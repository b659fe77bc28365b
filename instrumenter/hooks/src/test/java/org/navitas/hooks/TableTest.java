package org.navitas.hooks;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.Test;
import org.navitas.instrument.choice.Options;

/** The instrumenter's table of hooks names methods and classes of this module that fit. */
public class TableTest {
    /** Subclasses of platform classes in libraries, which are not on the class path of this test. */
    private static final String LIBRARIES = "androidx.";

    private static List<String[]> lines() throws Exception {
        try (InputStream in = Options.class.getResourceAsStream("/org/navitas/instrument/hooks.txt")) {
            return new BufferedReader(new InputStreamReader(in, "UTF-8"))
                    .lines()
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .map(line -> line.split(" "))
                    .collect(Collectors.toList());
        }
    }

    @Test
    public void eachMethodOfTheTableHasAHook() throws Exception {
        ClassLoader loader = TableTest.class.getClassLoader();
        int methods = 0;
        for (String[] line : lines()) {
            if (Arrays.asList("new", "start", "add").contains(line[0])) {
                continue;
            }
            MethodType type = MethodType.fromMethodDescriptorString(line[3], loader);
            List<Class<?>> parameters = new ArrayList<>(type.parameterList());
            String[] owners = line[1].split(",");
            if (!line[0].equals("static")) {
                parameters.add(0, Class.forName(owners[0], false, loader));
            }
            for (String owner : owners) {
                assertTrue(
                        Arrays.toString(line), owner.startsWith(LIBRARIES) || isDeclared(owner, line[2], type, loader));
            }
            Method hook = Class.forName(line[4], false, TableTest.class.getClassLoader())
                    .getMethod(line[2], parameters.toArray(new Class<?>[0]));
            assertTrue(Arrays.toString(line), Modifier.isStatic(hook.getModifiers()));
            assertEquals(Arrays.toString(line), type.returnType(), hook.getReturnType());
            for (String owner : owners) {
                if (owner.startsWith(LIBRARIES)) {
                    continue;
                }
                Class<?> hooked = Class.forName(owner, false, loader);
                assertTrue(owner, line[0].equals("static") || parameters.get(0).isAssignableFrom(hooked));
            }
            methods++;
        }
        assertTrue(methods > 50);
    }

    @Test
    public void eachCallbackOfTheTableHasAHook() throws Exception {
        ClassLoader loader = TableTest.class.getClassLoader();
        int callbacks = 0;
        for (String[] line : lines()) {
            if (!line[0].equals("start")) {
                continue;
            }
            List<Class<?>> parameters =
                    new ArrayList<>(MethodType.fromMethodDescriptorString(line[3].replaceAll("\\).*", ")V"), loader)
                            .parameterList());
            boolean isDeclared = line[1].startsWith(LIBRARIES)
                    || Arrays.stream(Class.forName(line[1], false, loader).getDeclaredMethods())
                            .anyMatch(method -> method.getName().equals(line[2])
                                    && !Modifier.isStatic(method.getModifiers())
                                    && MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                                            .toMethodDescriptorString()
                                            .equals(line[3]));
            assertTrue(Arrays.toString(line), isDeclared);
            parameters.add(0, Object.class);
            parameters.add(Class.class);
            Method hook = Class.forName(line[4], false, TableTest.class.getClassLoader())
                    .getMethod(line[2], parameters.toArray(new Class<?>[0]));
            assertTrue(Arrays.toString(line), Modifier.isStatic(hook.getModifiers()));
            assertEquals(Arrays.toString(line), void.class, hook.getReturnType());
            callbacks++;
        }
        assertTrue(callbacks > 20);
    }

    @Test
    public void eachCallbackThatClassesGetCanBeOverriddenAndHasAHook() throws Exception {
        ClassLoader loader = TableTest.class.getClassLoader();
        int callbacks = 0;
        for (String[] line : lines()) {
            if (!line[0].equals("add")) {
                continue;
            }
            MethodType type = MethodType.fromMethodDescriptorString(line[3], loader);
            for (String owner : line[1].split(",")) {
                Method method = nearest(Class.forName(owner, false, loader), line[2], type);
                int open = line[5].equals("public") ? Modifier.PUBLIC : Modifier.PROTECTED;
                assertEquals(
                        owner + " " + method, open, method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED));
                assertEquals(
                        method.toString(),
                        0,
                        method.getModifiers() & (Modifier.FINAL | Modifier.ABSTRACT | Modifier.STATIC));
                assertEquals(void.class, method.getReturnType());
            }
            List<Class<?>> parameters = new ArrayList<>(type.parameterList());
            parameters.add(0, Object.class);
            parameters.add(Class.class);
            Method hook = Class.forName(line[4], false, loader).getMethod(line[2], parameters.toArray(new Class<?>[0]));
            assertTrue(Arrays.toString(line), Modifier.isStatic(hook.getModifiers()));
            callbacks++;
        }
        assertTrue(callbacks > 3);
    }

    /** Returns the method that a class has, its own or inherited. */
    private static Method nearest(Class<?> type, String name, MethodType signature) throws Exception {
        try {
            return type.getDeclaredMethod(name, signature.parameterArray());
        } catch (NoSuchMethodException e) {
            return nearest(type.getSuperclass(), name, signature);
        }
    }

    /** Returns whether a class or interface has a public method, its own or inherited. */
    private static boolean isDeclared(String owner, String name, MethodType type, ClassLoader loader) throws Exception {
        return Arrays.stream(Class.forName(owner, false, loader).getMethods())
                .anyMatch(method -> method.getName().equals(name)
                        && method.getReturnType() == type.returnType()
                        && Arrays.equals(method.getParameterTypes(), type.parameterArray()));
    }

    @Test
    public void eachHookIsInTheTable() throws Exception {
        List<String> known = lines().stream()
                .filter(line -> !line[0].equals("new"))
                .map(line -> line[4] + "#" + line[2])
                .collect(Collectors.toList());
        List<Class<?>> types = new ArrayList<>();
        for (String[] line : lines()) {
            if (!line[0].equals("new")
                    && !types.contains(Class.forName(line[4], false, TableTest.class.getClassLoader()))) {
                types.add(Class.forName(line[4], false, TableTest.class.getClassLoader()));
            }
        }
        for (Class<?> type : types) {
            for (Method method : type.getDeclaredMethods()) {
                if (Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()) {
                    assertTrue(method.toString(), known.contains(type.getName() + "#" + method.getName()));
                }
            }
        }
    }

    @Test
    public void createdClassesHaveAllConstructors() throws Exception {
        List<String> missing = new ArrayList<>();
        for (String[] line : lines()) {
            if (!line[0].equals("new")) {
                continue;
            }
            Class<?> original = Class.forName(line[1]);
            Class<?> hook = Class.forName(line[2]);
            assertEquals(original, hook.getSuperclass());
            List<String> listed = Arrays.asList(line[3].split(","));
            for (Constructor<?> constructor : original.getConstructors()) {
                String descriptor = MethodType.methodType(void.class, constructor.getParameterTypes())
                        .toMethodDescriptorString();
                boolean newer = descriptor.equals(
                        "(Ljava/lang/ThreadGroup;Ljava/lang/Runnable;Ljava/lang/String;JZ)V"); // since Java 9
                if (!newer && !listed.contains(descriptor)) {
                    missing.add(line[1] + descriptor);
                }
            }
            for (String descriptor : listed) {
                hook.getConstructor(MethodType.fromMethodDescriptorString(descriptor, TableTest.class.getClassLoader())
                        .parameterArray());
            }
        }
        assertEquals(Collections.emptyList(), missing);
    }
}

package org.navitas.instrument.run;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.ClassFile;
import javassist.bytecode.MethodInfo;
import org.navitas.instrument.choice.Selection;
import org.navitas.instrument.code.ClassScan;
import org.navitas.instrument.files.ByteSource;
import org.navitas.instrument.files.Expansion;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.hooks.HookTable;

/**
 * Which classes get a callback that they lack, so that what Android delivers to them is seen. A class gets one if
 *
 * <ul>
 *   <li>it gets probes, and no class above it does: that one has the callback already, or gets it,
 *   <li>all classes between it and the platform are inputs, and
 *   <li>the nearest of them that has the callback calls no hook there, and lets others override it. The new one is as
 *       visible as that.
 * </ul>
 */
final class MissingCallbacks {
    private static final String CLASS = ".class";
    private static final int OPEN = AccessFlag.PUBLIC | AccessFlag.PROTECTED;
    private static final int CLOSED = AccessFlag.FINAL | AccessFlag.ABSTRACT | AccessFlag.STATIC;

    private final Map<String, String> superclasses;
    private final Map<String, Declared> declared = new HashMap<>();

    private MissingCallbacks(Map<String, String> superclasses) {
        this.superclasses = superclasses;
    }

    /** What a class of the inputs declares. */
    private static final class Declared {
        final Selection.Verdict verdict;
        /** The access flags of each method. */
        final Map<String, Integer> methods = new HashMap<>();

        Declared(Selection.Verdict verdict, ClassFile file) {
            this.verdict = verdict;
            for (MethodInfo method : file.getMethods()) {
                methods.put(method.getName() + method.getDescriptor(), method.getAccessFlags());
            }
        }
    }

    /** Returns the callbacks that classes get, by the name of the class, with dots. */
    static Map<String, List<HookTable.Added>> of(
            List<Input> inputs, Map<String, String> superclasses, Selection selection) {
        List<HookTable.Added> additions = selection.hooks().additions();
        Set<String> roots = new HashSet<>();
        additions.forEach(each -> roots.addAll(each.owners));
        MissingCallbacks classes = new MissingCallbacks(superclasses);
        Map<String, List<String>> chains = new TreeMap<>();
        Set<String> used = new HashSet<>();
        for (String name : superclasses.keySet()) {
            List<String> chain = classes.chain(name, roots);
            if (chain != null) {
                chains.put(name, chain);
                used.addAll(chain);
            }
        }
        for (Input input : inputs) {
            classes.read(input, used, selection);
        }
        Map<String, List<HookTable.Added>> found = new TreeMap<>();
        for (Map.Entry<String, List<String>> each : chains.entrySet()) {
            for (HookTable.Added callback : additions) {
                HookTable.Added added = classes.missing(each.getValue(), callback);
                if (added != null) {
                    found.computeIfAbsent(each.getKey(), name -> new ArrayList<>())
                            .add(added);
                }
            }
        }
        return found;
    }

    /** Returns a class and those above it, up to the first one of the platform; null if that is not one of the roots. */
    private List<String> chain(String name, Set<String> roots) {
        List<String> chain = new ArrayList<>();
        String above = name;
        for (; above != null && !roots.contains(above); above = superclasses.get(above)) {
            if (chain.size() > superclasses.size()) {
                return null; // a damaged input can have a circle
            }
            chain.add(above);
        }
        chain.add(above);
        return above == null || chain.size() == 1 ? null : chain;
    }

    /** Returns the callback that the first class of a chain gets, or null. */
    private HookTable.Added missing(List<String> chain, HookTable.Added callback) {
        String key = callback.name + callback.descriptor;
        Declared self = declared.get(chain.get(0));
        if (!callback.owners.contains(chain.get(chain.size() - 1))
                || self == null
                || self.verdict != Selection.Verdict.TAKE
                || self.methods.containsKey(key)) {
            return null;
        }
        for (String name : chain.subList(1, chain.size() - 1)) {
            Declared above = declared.get(name);
            if (above == null || above.verdict == Selection.Verdict.TAKE) {
                return null;
            }
            Integer flags = above.methods.get(key);
            if (flags != null) {
                boolean canOverride = (flags & CLOSED) == 0 && (flags & OPEN) != 0;
                return canOverride && above.verdict != Selection.Verdict.HOOK
                        ? callback.as((flags & AccessFlag.PUBLIC) != 0)
                        : null;
            }
        }
        return callback;
    }

    /** Notes what the used classes of an input declare. As on a class path, the first input with a class counts. */
    private void read(Input input, Set<String> used, Selection selection) {
        try {
            if (Files.isDirectory(input.in())) {
                for (String name : used) {
                    Path file = input.in().resolve(pathOf(name));
                    if (!declared.containsKey(name) && Files.isRegularFile(file)) {
                        note(name, selection.of(name, input), Files.newInputStream(file));
                    }
                }
                return;
            }
            try (ZipFile jar = new ZipFile(input.in().toFile())) {
                Expansion expansion = new Expansion(input.in());
                for (String name : used) {
                    ZipEntry entry = declared.containsKey(name) ? null : jar.getEntry(pathOf(name));
                    if (entry != null) {
                        note(name, selection.of(name, input), expansion.counted(jar.getInputStream(entry)));
                    }
                }
            }
        } catch (IOException | RuntimeException e) {
            return; // the Inventory reports inputs that cannot be read
        }
    }

    private void note(String name, Selection.Verdict verdict, InputStream opened) {
        declared.put(name, null);
        try (InputStream in = opened) {
            byte[] bytes = Io.read(in);
            ClassFile file =
                    ClassScan.orNull(bytes) == null ? null : new ClassFile(new DataInputStream(new ByteSource(bytes)));
            if (file != null
                    && file.getName().equals(name)
                    && superclasses.get(name).equals(file.getSuperclass())) {
                declared.put(name, new Declared(verdict, file));
            }
        } catch (IOException | RuntimeException e) {
            return; // a class that cannot be parsed is not known
        }
    }

    private static String pathOf(String name) {
        return name.replace('.', '/') + CLASS;
    }
}

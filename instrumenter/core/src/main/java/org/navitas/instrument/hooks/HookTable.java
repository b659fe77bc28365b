package org.navitas.instrument.hooks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.navitas.instrument.files.Io;

/**
 * The platform's methods and classes that hooks replace. A line of the table is one of:
 *
 * <ul>
 *   <li>{@code call java.net.Socket,javax.net.ssl.SSLSocket getInputStream ()Ljava/io/InputStream; hooks.Sockets}: calls
 *       of this method of these classes become calls of the hook's static method of the same name. Its first parameter
 *       is the object, of the first class.
 *   <li>{@code inherited android.content.Context startService …}: as {@code call}, and also calls that name a class which
 *       extends one of these, in any number of steps ({@link #withSubclasses}).
 *   <li>{@code static java.nio.file.Files readAllBytes (Ljava/nio/file/Path;)[B hooks.Files}: the same for a static
 *       method, without the object.
 *   <li>{@code new java.io.FileInputStream hooks.CountedFileInputStream (Ljava/lang/String;)V,(Ljava/io/File;)V}: the
 *       hook, a subclass with these constructors, is created instead.
 *   <li>{@code start android.app.Service onBind (Landroid/content/Intent;)Landroid/os/IBinder; hooks.Receivers}: every
 *       method with this name and descriptor calls, at its start, the hook's static method of the same name with the
 *       object, the parameters, and the class that declares the method. The hook finds out whether the object is a
 *       {@code Service}.
 *   <li>{@code add android.app.Activity,android.app.ListActivity onNewIntent (Landroid/content/Intent;)V hooks.Receivers
 *       protected}: classes that extend one of these and lack this method get one that calls the hook, as with {@code
 *       start}, and then the superclass's method ({@code MissingCallbacks}). The last word is the visibility of the
 *       method in these classes.
 * </ul>
 *
 * <p>After a {@code call}, {@code inherited} or {@code static}, {@code |} can follow, and how the hook records: the hook
 * is then generated.
 *
 * <p>Immutable.
 */
public final class HookTable {
    /** A static method that replaces another method. */
    static final class Hook {
        final String className;
        final String name;
        final String descriptor;

        Hook(String className, String name, String descriptor) {
            this.className = className;
            this.name = name;
            this.descriptor = descriptor;
        }
    }

    /** A callback that classes can get. */
    public static final class Added {
        public final Set<String> owners;
        public final String name;
        public final String descriptor;
        final Hook hook;
        final boolean isPublic;

        private Added(Set<String> owners, String name, String descriptor, Hook hook, boolean isPublic) {
            this.owners = owners;
            this.name = name;
            this.descriptor = descriptor;
            this.hook = hook;
            this.isPublic = isPublic;
        }

        /** Returns this callback for a class whose superclass has it with another visibility. */
        public Added as(boolean isPublic) {
            return new Added(owners, name, descriptor, hook, isPublic);
        }

        @Override
        public String toString() {
            return (isPublic ? "public " : "protected ") + name + descriptor;
        }
    }

    private static final int HASHES = 1 << 16;
    private static final HookTable PLATFORM = read("/org/navitas/instrument/hooks.txt");

    private final String id;
    private final Map<String, Hook> calls = new HashMap<>();
    private final Map<String, String> created = new HashMap<>();
    private final Map<String, Set<String>> constructors = new HashMap<>();
    private final Map<String, Hook> starts = new HashMap<>();
    private final List<Added> additions = new ArrayList<>();
    /** The callbacks that a class gets, by the class. */
    private final Map<String, List<Added>> added = new TreeMap<>();

    private final Set<String> owners = new HashSet<>();
    /** The keys of {@link #calls} that subclasses share, and their owners. */
    private final Set<String> inherited = new HashSet<>();

    private final Set<String> inheritedOwners = new HashSet<>();
    /** The owner of inherited hooks that a class extends, by the class. */
    private final Map<String, String> subclasses = new TreeMap<>();
    /** The lower bits of the hash codes of all hooked classes. */
    private final BitSet hashes = new BitSet(HASHES);

    private HookTable(String id) {
        this.id = id;
    }

    private HookTable(String id, HookTable other) {
        this.id = id;
        calls.putAll(other.calls);
        created.putAll(other.created);
        constructors.putAll(other.constructors);
        starts.putAll(other.starts);
        additions.addAll(other.additions);
        added.putAll(other.added);
        subclasses.putAll(other.subclasses);
        owners.addAll(other.owners);
        inherited.addAll(other.inherited);
        inheritedOwners.addAll(other.inheritedOwners);
        hashes.or(other.hashes);
    }

    /** Returns the hooks of the Java and Android platforms. */
    public static HookTable platform() {
        return PLATFORM;
    }

    /**
     * Parses a table.
     *
     * @param text one entry per line; empty lines and lines that start with {@code #} are ignored
     */
    public static HookTable of(String text) {
        HookTable table = new HookTable(Io.sha256Hex(text));
        for (String line : text.split("\n")) {
            if (!line.trim().isEmpty() && !line.startsWith("#")) {
                table.add(line.split("\\|")[0].trim().split("\\s+"), line);
            }
        }
        return table;
    }

    /**
     * Returns this table with the classes that extend an owner of inherited hooks.
     *
     * @param superclasses the superclass of each known class; names have dots
     */
    public HookTable withSubclasses(Map<String, String> superclasses) {
        Map<String, String> found = new TreeMap<>();
        for (String name : superclasses.keySet()) {
            String above = name;
            for (int steps = 0;
                    above != null && !inheritedOwners.contains(above) && steps <= superclasses.size();
                    steps++) {
                above = superclasses.get(above); // a damaged input can have a circle
            }
            if (above != null && inheritedOwners.contains(above) && !above.equals(name)) {
                found.put(name, above);
            }
        }
        if (found.isEmpty()) {
            return this;
        }
        HookTable extended = new HookTable(Io.sha256Hex(id + found), this);
        extended.subclasses.putAll(found);
        found.keySet().forEach(extended::note);
        return extended;
    }

    /** Returns this table with callbacks that classes get, by the name of the class, with dots. */
    public HookTable withAdded(Map<String, List<Added>> callbacks) {
        if (callbacks.isEmpty()) {
            return this;
        }
        HookTable extended = new HookTable(Io.sha256Hex(id + new TreeMap<>(callbacks)), this);
        extended.added.putAll(callbacks);
        return extended;
    }

    /** Returns a text that differs between tables. */
    public String id() {
        return id;
    }

    /** Returns whether anything of a class is replaced. Class names have dots. */
    boolean isHooked(String className) {
        return owners.contains(className) || created.containsKey(className);
    }

    /** Returns false only if nothing of the class whose name, with slashes, has this hash code is replaced. */
    public boolean mayHook(int hash) {
        return hashes.get(hash & HASHES - 1);
    }

    /** Returns the static method that replaces calls of a method, or null. Class names have dots. */
    Hook call(String owner, String name, String descriptor) {
        return owners.contains(owner) ? calls.get(owner + ' ' + name + descriptor) : null;
    }

    /** Returns whether a class extends an owner of inherited hooks. */
    boolean isSubclass(String className) {
        return subclasses.containsKey(className);
    }

    /** Returns the static method that replaces calls of a method that a {@link #isSubclass subclass} inherits, or null. */
    Hook inherited(String subclass, String name, String descriptor) {
        String owner = subclasses.get(subclass);
        String key = owner + ' ' + name + descriptor;
        return owner != null && inherited.contains(key) ? calls.get(key) : null;
    }

    /** Returns the static method to call at the start of methods, or null. */
    Hook start(String name, String descriptor) {
        return starts.get(name + descriptor);
    }

    /** Returns all callbacks that classes can get. */
    public List<Added> additions() {
        return Collections.unmodifiableList(additions);
    }

    /** Returns the callbacks that a class gets. */
    List<Added> added(String className) {
        return added.getOrDefault(className, Collections.emptyList());
    }

    /** Returns the class to create instead of {@code className}, or null. */
    String replacement(String className) {
        return created.get(className);
    }

    /** Returns whether the class to create instead of {@code className} has a constructor. */
    boolean hasConstructor(String className, String descriptor) {
        return constructors.get(className).contains(descriptor);
    }

    private void add(String[] fields, String line) {
        if (fields[0].equals("new") && fields.length == 4) {
            created.put(fields[1], fields[2]);
            note(fields[1]);
            constructors.put(fields[1], new HashSet<>(Arrays.asList(fields[3].split(","))));
            return;
        }
        if (fields[0].equals("add") && fields.length == 6 && fields[3].endsWith(")V")) {
            Set<String> classes = new HashSet<>(Arrays.asList(fields[1].split(",")));
            additions.add(new Added(classes, fields[2], fields[3], startHook(fields), fields[5].equals("public")));
            return;
        }
        List<String> words = new ArrayList<>(Arrays.asList("call", "inherited", "static", "start"));
        if (fields.length != 5 || !words.contains(fields[0])) {
            throw new IllegalArgumentException("bad line in the table of hooks: " + line);
        }
        if (fields[0].equals("start")) {
            starts.put(fields[2] + fields[3], startHook(fields));
            return;
        }
        boolean isCall = !fields[0].equals("static");
        String[] classes = fields[1].split(",");
        String object = isCall ? "L" + classes[0].replace('.', '/') + ";" : "";
        Hook hook = new Hook(fields[4], fields[2], "(" + object + fields[3].substring(1));
        for (String owner : classes) {
            owners.add(owner);
            note(owner);
            String key = owner + ' ' + fields[2] + fields[3];
            calls.put(key, hook);
            if (fields[0].equals("inherited")) {
                inherited.add(key);
                inheritedOwners.add(owner);
            }
        }
    }

    private static Hook startHook(String[] fields) {
        String parameters = fields[3].substring(1, fields[3].indexOf(')'));
        return new Hook(fields[4], fields[2], "(Ljava/lang/Object;" + parameters + "Ljava/lang/Class;)V");
    }

    private void note(String className) {
        hashes.set(className.replace('.', '/').hashCode() & HASHES - 1);
    }

    private static HookTable read(String resource) {
        StringBuilder text = new StringBuilder();
        try (InputStream in = HookTable.class.getResourceAsStream(resource);
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                text.append(line).append('\n');
            }
        } catch (IOException e) {
            throw new IllegalStateException("the instrumenter's jar is damaged", e);
        }
        return of(text.toString());
    }
}

package org.navitas.instrument.run;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.classes.ClassInfo;
import org.navitas.instrument.files.ByteSink;
import org.navitas.instrument.files.ByteSource;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.map.MethodRef;

/**
 * What one run stores for the next: the result for each class, by the hash of its bytes, and the written files. A state
 * that is missing, damaged or of another version is treated as empty, which only costs time.
 */
final class RunState {
    /** Increases with every change of this format or of the instrumented code (RunStateTest). */
    static final int VERSION = 12;

    private static final int HASH_BYTES = 32;

    /** A written file: how it was made, and what shows that it has not been changed since. */
    static final class Written {
        final String recipe;
        final long size;
        final long modified;

        Written(String recipe, long size, long modified) {
            this.recipe = recipe;
            this.size = size;
            this.modified = modified;
        }

        static Written of(String recipe, Path file) throws IOException {
            return new Written(
                    recipe, Files.size(file), Files.getLastModifiedTime(file).toMillis());
        }

        /** Returns whether the file is unchanged. */
        boolean intact(Path file) throws IOException {
            return Files.isRegularFile(file)
                    && Files.size(file) == size
                    && Files.getLastModifiedTime(file).toMillis() == modified;
        }
    }

    /** An output folder or jar: its inputs and its files by path; a jar has one file with an empty path. */
    static final class Output {
        final Set<String> inputs = new TreeSet<>();
        final Map<String, Written> files = new TreeMap<>();
    }

    /** The {@code Selection.rules rules} with which all of {@link #classes} were made. */
    String rules = "";

    final Map<String, ClassInfo> classes = new TreeMap<>();
    final Map<String, Output> outputs = new TreeMap<>();

    static Path fileFor(Path mapFile) {
        return mapFile.resolveSibling(mapFile.getFileName() + ".state");
    }

    static RunState load(Path file) {
        try {
            byte[] bytes = Io.readRegular(file);
            int size = bytes.length - HASH_BYTES;
            byte[] payload = Arrays.copyOf(bytes, Math.max(0, size));
            if (size > 0 && Arrays.equals(Io.sha256().digest(payload), Arrays.copyOfRange(bytes, size, bytes.length))) {
                RunState state = new RunState();
                if (state.read(new DataInputStream(new ByteSource(payload)))) {
                    return state;
                }
            }
        } catch (IOException e) {
            return new RunState();
        }
        return new RunState();
    }

    void save(Path file) throws IOException {
        ByteSink bytes = new ByteSink(1 << 16);
        write(new DataOutputStream(bytes));
        bytes.write(Io.sha256().digest(bytes.toByteArray()));
        Io.writeAtomically(file, bytes.toByteArray());
    }

    private void write(DataOutputStream out) throws IOException {
        out.writeInt(VERSION);
        text(out, rules);
        out.writeInt(classes.size());
        for (Map.Entry<String, ClassInfo> each : classes.entrySet()) {
            ClassInfo info = each.getValue();
            text(out, each.getKey());
            text(out, info.name);
            optional(out, info.file);
            optional(out, info.problem);
            out.writeBoolean(info.hooked);
            out.writeInt(info.methods.size());
            for (MethodRef method : info.methods) {
                text(out, method.name);
                text(out, method.descriptor);
                out.writeInt(method.line);
            }
            out.writeInt(info.skipped.size());
            for (Skipped skipped : info.skipped) {
                optional(out, skipped.method);
                text(out, skipped.reason);
            }
        }
        out.writeInt(outputs.size());
        for (Map.Entry<String, Output> each : outputs.entrySet()) {
            text(out, each.getKey());
            out.writeInt(each.getValue().inputs.size());
            for (String input : each.getValue().inputs) {
                text(out, input);
            }
            out.writeInt(each.getValue().files.size());
            for (Map.Entry<String, Written> file : each.getValue().files.entrySet()) {
                text(out, file.getKey());
                text(out, file.getValue().recipe);
                out.writeLong(file.getValue().size);
                out.writeLong(file.getValue().modified);
            }
        }
    }

    private boolean read(DataInputStream in) throws IOException {
        if (in.readInt() != VERSION) {
            return false;
        }
        rules = text(in);
        for (int n = in.readInt(); n > 0; n--) {
            String sha256 = text(in);
            String name = text(in);
            String file = optional(in);
            String problem = optional(in);
            boolean hooked = in.readBoolean();
            List<MethodRef> methods = new ArrayList<>();
            for (int m = in.readInt(); m > 0; m--) {
                methods.add(new MethodRef(text(in), text(in), in.readInt()));
            }
            List<Skipped> skipped = new ArrayList<>();
            for (int s = in.readInt(); s > 0; s--) {
                skipped.add(new Skipped(optional(in), text(in)));
            }
            classes.put(sha256, new ClassInfo(name, file, methods, skipped, problem, hooked));
        }
        for (int n = in.readInt(); n > 0; n--) {
            Output output = new Output();
            outputs.put(text(in), output);
            for (int i = in.readInt(); i > 0; i--) {
                output.inputs.add(text(in));
            }
            for (int f = in.readInt(); f > 0; f--) {
                output.files.put(text(in), new Written(text(in), in.readLong(), in.readLong()));
            }
        }
        return true;
    }

    /** writeUTF is not used: its limit is 65,535 bytes, and names of a class file can contain unpaired surrogates. */
    private static void text(DataOutputStream out, String value) throws IOException {
        out.writeInt(value.length());
        out.writeChars(value);
    }

    private static String text(DataInputStream in) throws IOException {
        StringBuilder value = new StringBuilder();
        for (int n = in.readInt(); n > 0; n--) {
            value.append(in.readChar());
        }
        return value.toString();
    }

    private static void optional(DataOutputStream out, String value) throws IOException {
        out.writeBoolean(value != null);
        if (value != null) {
            text(out, value);
        }
    }

    private static String optional(DataInputStream in) throws IOException {
        return in.readBoolean() ? text(in) : null;
    }
}

package org.navitas.instrument.testing;

import com.android.tools.r8.ByteDataView;
import com.android.tools.r8.ClassFileResourceProvider;
import com.android.tools.r8.CompilationFailedException;
import com.android.tools.r8.CompilationMode;
import com.android.tools.r8.D8;
import com.android.tools.r8.D8Command;
import com.android.tools.r8.DexIndexedConsumer;
import com.android.tools.r8.Diagnostic;
import com.android.tools.r8.DiagnosticsHandler;
import com.android.tools.r8.JdkClassFileProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jf.dexlib2.Opcodes;
import org.jf.dexlib2.dexbacked.DexBackedDexFile;

/** The dex files that Android's compiler D8 makes of classes. */
public final class Dexed {
    private static final ClassFileResourceProvider JDK = jdk();

    private final List<byte[]> files;

    private Dexed(List<byte[]> files) {
        this.files = files;
    }

    /**
     * Compiles jars or class files.
     *
     * @param program the jars or class files
     * @param others what its classes refer to, besides the JDK
     * @param oldest the API level of the oldest Android that has to run it
     */
    public static Dexed of(Collection<Path> program, Collection<Path> others, CompilationMode mode, int oldest)
            throws CompilationFailedException {
        Map<Integer, byte[]> files = new TreeMap<>();
        D8.run(D8Command.builder(new Quiet())
                .addProgramFiles(program)
                .addClasspathFiles(others)
                .addLibraryResourceProvider(JDK)
                .setMode(mode)
                .setMinApiLevel(oldest)
                .setProgramConsumer(new DexIndexedConsumer() {
                    @Override
                    public synchronized void accept(
                            int number, ByteDataView data, Set<String> descriptors, DiagnosticsHandler handler) {
                        files.put(number, data.copyByteData());
                    }

                    @Override
                    public void finished(DiagnosticsHandler handler) {}
                })
                .build());
        return new Dexed(new ArrayList<>(files.values()));
    }

    public long bytes() {
        return files.stream().mapToLong(each -> each.length).sum();
    }

    /** The methods that one file can refer to are limited: at most this many in each. */
    public int methodReferences() {
        return parsed().stream()
                .mapToInt(each -> each.getMethodSection().size())
                .max()
                .orElse(0);
    }

    public List<DexBackedDexFile> parsed() {
        List<DexBackedDexFile> parsed = new ArrayList<>();
        for (byte[] each : files) {
            try {
                parsed.add(DexBackedDexFile.fromInputStream(Opcodes.getDefault(), new ByteArrayInputStream(each)));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
        return parsed;
    }

    /** Writes the files to a folder, under the names that they have in an APK. */
    public List<Path> into(Path folder) throws IOException {
        Files.createDirectories(folder);
        List<Path> paths = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            paths.add(Files.write(
                    folder.resolve("classes" + (i == 0 ? "" : String.valueOf(i + 1)) + ".dex"), files.get(i)));
        }
        return paths;
    }

    /** Writes a jar of the class files that dex2jar makes of the files. */
    public void back(Path jar) throws IOException {
        if (files.size() != 1) {
            throw new IllegalStateException(files.size() + " dex files");
        }
        Redexed.jar(files.get(0), jar);
    }

    private static ClassFileResourceProvider jdk() {
        try {
            return JdkClassFileProvider.fromSystemJdk();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Ignores warnings of missing classes, such as those of optional dependencies. */
    private static final class Quiet implements DiagnosticsHandler {
        @Override
        public void warning(Diagnostic diagnostic) {}

        @Override
        public void info(Diagnostic diagnostic) {}
    }
}

package org.navitas.hooks.files;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileWriter;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.hooks.Instrumented;
import org.navitas.hooks.Recorded;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;
import scenario.FileUse;

/** Hooks of files: the app sees what it sees without them, and each byte is counted once. */
public class FileHooksTest {
    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    @Test
    @SuppressWarnings("unchecked")
    public void behaviourIsTheSameAndEachByteIsCountedOnce() throws Exception {
        FileUse plain = new FileUse();
        File folder = new File(temporary.getRoot(), "files");
        folder.mkdir();
        List<String> expected = plain.apply(folder);
        for (File each : folder.listFiles()) {
            each.delete();
        }
        Object hooked = Instrumented.create(FileUse.class, temporary.getRoot().toPath());
        Recorded<List<String>> recorded = Recorded.of(() -> ((Function<File, List<String>>) hooked).apply(folder));
        assertEquals(expected, recorded.result);
        assertEquals(plain.read, recorded.bytes(Hook.FILE_READ));
        assertEquals(plain.written, recorded.bytes(Hook.FILE_WRITE));
        assertEquals(2, recorded.count(kind -> kind == Hook.FILE_SYNC));
        assertEquals(0, recorded.count(kind -> kind < Hook.FILE_READ || kind > Hook.FILE_SYNC));
    }

    @Test
    public void recordsHaveTimeAndHandle() throws Exception {
        File file = temporary.newFile();
        try (FileWriter out = new FileWriter(file)) {
            out.write("0123456789");
        }
        long before = System.nanoTime();
        Recorded<Integer> recorded = Recorded.of(() -> {
            try (InputStream one = new CountedFileInputStream(file);
                    InputStream two = new CountedFileInputStream(file)) {
                return one.read(new byte[4]) + one.read() + two.read();
            }
        });
        long after = System.nanoTime();
        assertEquals(4 + '4' + '0', (int) recorded.result);
        assertEquals(Arrays.asList(Api.FILE_READ, Api.FILE_READ, Api.FILE_READ), recorded.calls);
        assertEquals(3, recorded.uses.size());
        assertEquals(recorded.uses.get(0).handle, recorded.uses.get(1).handle);
        assertTrue(recorded.uses.get(0).handle != recorded.uses.get(2).handle);
        for (Recorded.Use use : recorded.uses) {
            assertTrue(before <= use.start && use.start <= use.end && use.end <= after);
            assertEquals(0, use.flags);
        }
    }

    @Test
    public void openedDescriptorIsShared() throws Exception {
        File file = temporary.newFile();
        try (FileWriter out = new FileWriter(file)) {
            out.write("0123456789");
        }
        try (FileInputStream in = new FileInputStream(file)) {
            FileDescriptor descriptor = in.getFD();
            assertEquals('0', in.read());
            assertEquals('1', new CountedFileReader(descriptor).read());
        }
    }
}

package org.navitas.instrument.run;

import static org.junit.Assert.assertEquals;

import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.Test;
import org.navitas.instrument.choice.MethodChoice;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.classes.ClassInstrumenter;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.hooks.HookTable;
import org.navitas.instrument.testing.Libraries;

/** The state's version belongs to the instrumented code: a build must not reuse classes that an older version wrote. */
public class RunStateTest {
    private static final int EACH = 10;
    private static final int DIGITS = 16;
    private static final String HOOKS = "call java.util.List size ()I hooks.Lists\n"
            + "static java.lang.String valueOf (Ljava/lang/Object;)Ljava/lang/String; hooks.Strings\n";
    /** The version, a hash of classes of libraries, and one of the same classes with probes. */
    private static final String KNOWN = "12 4007da5cd964e00a fe7853ea9b572b6c";

    @Test
    public void changedCodeHasAnotherVersion() throws Exception {
        MessageDigest originals = Io.sha256();
        MessageDigest instrumented = Io.sha256();
        MethodChoice all = (className, method, code) -> null;
        HookTable hooks = HookTable.of(HOOKS);
        for (Path jar : Libraries.JARS) {
            for (byte[] original : Libraries.classes(jar, EACH)) {
                originals.update(original);
                for (ClassInstrumenter each : Arrays.asList(
                        ClassInstrumenter.instrument(original, "C", all),
                                ClassInstrumenter.instrument(original, "C", all, hooks),
                        ClassInstrumenter.instrument(original, "C", all, null, Probes.BLOCKS),
                                ClassInstrumenter.hook(original, "C", hooks))) {
                    instrumented.update(each.bytes(
                            IntStream.range(0, each.info.methods.size()).toArray()));
                }
            }
        }
        assertEquals(
                "Instrumented code has changed: increase RunState.VERSION, and set KNOWN. If the second word differs,"
                        + " the libraries are others, so set only KNOWN.",
                KNOWN,
                RunState.VERSION + " " + shortHex(originals) + " " + shortHex(instrumented));
    }

    private static String shortHex(MessageDigest digest) {
        return Io.hex(digest.digest()).substring(0, DIGITS);
    }
}

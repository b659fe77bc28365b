package org.navitas.instrument.run;

import java.io.IOException;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.choice.Selection;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.classes.ClassInfo;
import org.navitas.instrument.classes.ClassInstrumenter;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.files.Release;
import org.navitas.instrument.hooks.HookTable;

/** One file of an input: a class with its instrumentation result, or another file, which is copied. */
final class Entry {
    /** Path relative to the input, with slashes. */
    final String path;
    /** SHA-256 of the original file; null for files in jars that are not instrumented. */
    final String sha256;
    /** Whether and why a class is selected; null for other files. */
    final Selection.Verdict verdict;
    /** The hooks with which the class is instrumented, or null. */
    private final HookTable hooks;
    /** The kind of probes of a class that is taken. */
    Probes probes = Probes.METHODS;
    /** Null for files that are copied silently. */
    final ClassInfo info;
    /** The instrumented class; null if an earlier run wrote it, it has no probes, or memory for more is used up. */
    final ClassInstrumenter work;
    /** Whether the input class already has probes. */
    final boolean instrumentedBefore;
    /** Ids of {@code info.methods}, once they are assigned. */
    int[] ids = {};

    Entry(
            String path,
            String sha256,
            Selection.Verdict verdict,
            HookTable hooks,
            ClassInfo info,
            ClassInstrumenter work,
            boolean instrumentedBefore) {
        this.path = path;
        this.sha256 = sha256;
        this.verdict = verdict;
        this.hooks = hooks;
        this.info = info;
        this.work = work;
        this.instrumentedBefore = instrumentedBefore;
    }

    /** Returns the Java release that a class of a jar is for; files that no JVM loads for a release are not read as classes. */
    int release() {
        return Release.of(path, true);
    }

    boolean probed() {
        return info != null && !info.methods.isEmpty();
    }

    /** Returns whether the output differs from the original. */
    boolean changed() {
        return info != null && info.changed();
    }

    /** Describes in one line how the output is made; equal recipes give equal bytes. */
    String recipe() {
        if (!changed()) {
            return "copy " + sha256;
        }
        StringBuilder text = new StringBuilder(
                info.hooked ? "hook " + hooks.id() + ' ' : probes == Probes.METHODS ? "probe " : "count ");
        text.append(info.edits == null ? "" : "edit " + info.edits + ' ');
        text.append(sha256).append(" of ").append(ids.length).append(" from");
        for (int i = 0; i < ids.length; i++) {
            if (i == 0 || ids[i] != ids[i - 1] + 1) {
                text.append(' ').append(ids[i]);
            }
        }
        info.skipped.stream()
                .filter(each -> each.reason.equals(Skipped.EXCLUDED))
                .forEach(each -> text.append(" -").append(each.method));
        return text.toString();
    }

    /** Returns the instrumented class. Instruments the original again if the first result was not kept. */
    byte[] instrumented(Original original) throws InstrumentException, IOException {
        if (work != null) {
            return work.bytes(ids);
        }
        byte[] bytes = original.read();
        if (!Io.sha256Hex(bytes).equals(sha256)) {
            throw new InstrumentException(path + ": changed during instrumentation");
        }
        if (verdict == Selection.Verdict.HOOK) {
            return ClassInstrumenter.hook(bytes, info.name, hooks).bytes(ids);
        }
        return ClassInstrumenter.instrument(bytes, info.name, info.choice(), info.hooked ? hooks : null, probes)
                .bytes(ids);
    }

    /** Reads the original file. */
    interface Original {
        byte[] read() throws IOException;
    }
}

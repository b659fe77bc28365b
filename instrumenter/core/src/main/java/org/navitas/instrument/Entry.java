package org.navitas.instrument;

import java.io.IOException;

/** One file of an input: a class with what instrumentation makes of it, or anything else, which is copied. */
final class Entry {
  /** Relative to the input, with slashes. */
  final String path;
  /** SHA-256 of the file as it came; null for what lies in a jar and is no class to instrument. */
  final String sha256;
  /** What was decided about a class; null for other files. */
  final Selection.Verdict verdict;
  /** Null for whatever is copied without a word. */
  final ClassInfo info;
  /** The work on the class; null when an earlier run did it, when there are no probes, or when it was too much to keep. */
  final ClassInstrumenter work;
  /** Whether the class came with probes. */
  final boolean instrumentedBefore;
  /** Ids of {@code info.methods}; null until they are known. */
  int[] ids;

  Entry(
      String path, String sha256, Selection.Verdict verdict, ClassInfo info, ClassInstrumenter work, boolean instrumentedBefore) {
    this.path = path;
    this.sha256 = sha256;
    this.verdict = verdict;
    this.info = info;
    this.work = work;
    this.instrumentedBefore = instrumentedBefore;
  }

  boolean probed() {
    return info != null && !info.methods.isEmpty();
  }

  /** Says in one line what the output is made of; equal recipes give equal bytes. */
  String recipe() {
    if (!probed()) {
      return "copy " + sha256;
    }
    StringBuilder text = new StringBuilder("probe ").append(sha256).append(" of ").append(ids.length).append(" from");
    for (int i = 0; i < ids.length; i++) {
      if (i == 0 || ids[i] != ids[i - 1] + 1) {
        text.append(' ').append(ids[i]);
      }
    }
    info.skipped.stream().filter(each -> each.reason.equals(Skipped.EXCLUDED)).forEach(each -> text.append(" -").append(each.method));
    return text.toString();
  }

  /** The instrumented class, from the work already done or done again from the original. */
  byte[] instrumented(Original original) throws InstrumentException, IOException {
    if (work != null) {
      return work.bytes(ids);
    }
    byte[] bytes = original.read();
    if (!Io.sha256Hex(bytes).equals(sha256)) {
      throw new InstrumentException(path + ": changed while it was read");
    }
    return ClassInstrumenter.instrument(bytes, info.name, info.choice()).bytes(ids);
  }

  /** Reads the file as it came. */
  interface Original {
    byte[] read() throws IOException;
  }
}

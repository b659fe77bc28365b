package org.navitas.instrument;

import java.util.Collections;
import java.util.List;

/** What instrumentation makes of one class file; depends on its bytes and {@link Options#skipTrivial} alone. */
final class ClassInfo {
  /** Dotted. */
  final String name;
  /** Source file; null when not recorded. */
  final String file;
  /** Methods with probes, in the order of the class file. */
  final List<MethodRef> methods;
  final List<Skipped> skipped;
  /** Why the whole class is left alone, in words; null when it is not. */
  final String problem;

  ClassInfo(String name, String file, List<MethodRef> methods, List<Skipped> skipped, String problem) {
    this.name = name;
    this.file = file;
    this.methods = methods;
    this.skipped = skipped;
    this.problem = problem;
  }

  /** A class that is left alone as a whole. */
  static ClassInfo untouched(String name, String reason, String problem) {
    return new ClassInfo(
        name, null, Collections.emptyList(), Collections.singletonList(new Skipped(null, reason)), problem);
  }

  /** Whether methods were left alone as trivial. */
  boolean skipsTrivial() {
    return skipped.stream().anyMatch(each -> Skipped.TRIVIAL.equals(each.reason));
  }

  /** Why the class is left alone as a whole; null when it is not. */
  String untouchedReason() {
    return skipped.size() == 1 && skipped.get(0).method == null ? skipped.get(0).reason : null;
  }
}

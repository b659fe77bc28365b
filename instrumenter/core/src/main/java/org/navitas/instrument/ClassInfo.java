package org.navitas.instrument;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What instrumentation makes of one class file; depends on its bytes and {@link Selection#rulesOf} alone. */
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

  /** The same choice of methods again. */
  MethodChoice choice() {
    Map<String, String> reasons = new HashMap<>();
    for (Skipped each : skipped) {
      if (each.reason.equals(Skipped.TRIVIAL) || each.reason.equals(Skipped.EXCLUDED)) {
        reasons.put(each.method, each.reason);
      }
    }
    return (className, method, code) -> reasons.get(method.getName() + method.getDescriptor());
  }

  /** Why the class is left alone as a whole; null when it is not. */
  String untouchedReason() {
    return skipped.size() == 1 && skipped.get(0).method == null ? skipped.get(0).reason : null;
  }
}

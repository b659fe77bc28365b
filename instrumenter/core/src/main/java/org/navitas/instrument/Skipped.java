package org.navitas.instrument;

/**
 * A skipped method (name and descriptor), or a skipped class if the method is null, with the
 * reason (docs/dev/formats.md).
 */
final class Skipped {
  static final String ABSTRACT = "abstract";
  static final String NATIVE = "native";
  static final String BRIDGE = "bridge";
  static final String CONTINUATION = "continuation";
  static final String COVERAGE = "coverage";
  static final String TRIVIAL = "trivial";
  static final String TOO_LARGE = "too_large";
  static final String EXCLUDED = "excluded";
  static final String UNSUPPORTED_VERSION = "unsupported_version";
  static final String ALREADY_INSTRUMENTED = "already_instrumented";
  static final String MALFORMED = "malformed";

  final String method;
  final String reason;

  Skipped(String method, String reason) {
    this.method = method;
    this.reason = reason;
  }
}

package org.navitas.instrument.choice;

/**
 * A skipped method (name and descriptor), or a skipped class if the method is null, with the
 * reason (docs/dev/formats.md).
 */
public final class Skipped {
    public static final String ABSTRACT = "abstract";
    public static final String NATIVE = "native";
    public static final String BRIDGE = "bridge";
    public static final String CONTINUATION = "continuation";
    public static final String COVERAGE = "coverage";
    public static final String TRIVIAL = "trivial";
    public static final String TOO_LARGE = "too_large";
    public static final String EXCLUDED = "excluded";
    public static final String UNSUPPORTED_VERSION = "unsupported_version";
    public static final String ALREADY_INSTRUMENTED = "already_instrumented";
    public static final String MALFORMED = "malformed";

    public final String method;
    public final String reason;

    public Skipped(String method, String reason) {
        this.method = method;
        this.reason = reason;
    }
}

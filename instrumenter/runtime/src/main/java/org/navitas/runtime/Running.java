package org.navitas.runtime;

/** What probes and hooks use, as constants for compilers. To be used once {@link Probe#ready} is true. */
final class Running {
    static final Recorder RECORDER = Start.recorder;
    /** Null unless calls are recorded. A separate constant, since each load before a thread's recorder costs time. */
    static final Threads THREADS = RECORDER == null || RECORDER.settings.unprobed ? null : RECORDER.threads;

    static final Ticker TICKER = RECORDER == null ? null : RECORDER.ticker;
    static final Platform CLOCK = RECORDER == null ? null : RECORDER.platform;
    /** Whether hooks record their calls. */
    static final boolean HOOKS = THREADS != null && RECORDER.settings.hooks;

    private Running() {}
}

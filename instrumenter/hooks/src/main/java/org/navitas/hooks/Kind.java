package org.navitas.hooks;

/**
 * Kinds and flags of communications (docs/dev/formats.md). The compiler inlines them, so the jar does not contain this
 * class.
 */
final class Kind {
    static final int START_ACTIVITY = 1;
    static final int START_ACTIVITY_FOR_RESULT = 2;
    static final int START_SERVICE = 3;
    static final int START_FOREGROUND_SERVICE = 4;
    static final int STOP_SERVICE = 5;
    static final int BIND_SERVICE = 6;
    static final int UNBIND_SERVICE = 7;
    static final int SEND_BROADCAST = 8;
    static final int REGISTER_RECEIVER = 9;
    static final int PENDING_INTENT = 10;
    static final int PENDING_INTENT_SEND = 11;
    static final int SET_ALARM = 12;
    static final int SCHEDULE_JOB = 13;
    static final int ENQUEUE_WORK = 14;
    static final int PROVIDER_CALL = 15;
    static final int SET_RESULT = 16;
    static final int CANCEL_ALARM = 17;
    static final int CANCEL_PENDING_INTENT = 18;
    static final int CANCEL_JOB = 19;
    static final int CANCEL_WORK = 20;

    static final int ACTIVITY_INTENT = 32;
    static final int ACTIVITY_RESULT = 33;
    static final int SERVICE_START = 34;
    static final int SERVICE_BIND = 35;
    static final int RECEIVE = 36;
    static final int JOB = 37;
    static final int WORK = 38;
    static final int PROVIDER = 39;
    static final int SERVICE_DESTROYED = 40;

    static final int LEAVES = 1;
    static final int PERIODIC = 2;
    static final int EXACT = 4;
    static final int WAKE_UP = 8;
    static final int FOREGROUND = 16;
    static final int FROM_SYSTEM = 32;
    static final int REPLACES = 64;

    private Kind() {}
}

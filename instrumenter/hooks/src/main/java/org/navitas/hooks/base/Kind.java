package org.navitas.hooks.base;

/**
 * Kinds and flags of communications (docs/dev/formats.md). The compiler inlines them, so the jar does not contain this
 * class.
 */
public final class Kind {
    public static final int START_ACTIVITY = 1;
    public static final int START_ACTIVITY_FOR_RESULT = 2;
    public static final int START_SERVICE = 3;
    public static final int START_FOREGROUND_SERVICE = 4;
    public static final int STOP_SERVICE = 5;
    public static final int BIND_SERVICE = 6;
    public static final int UNBIND_SERVICE = 7;
    public static final int SEND_BROADCAST = 8;
    public static final int REGISTER_RECEIVER = 9;
    public static final int PENDING_INTENT = 10;
    public static final int PENDING_INTENT_SEND = 11;
    public static final int SET_ALARM = 12;
    public static final int SCHEDULE_JOB = 13;
    public static final int ENQUEUE_WORK = 14;
    public static final int PROVIDER_CALL = 15;
    public static final int SET_RESULT = 16;
    public static final int CANCEL_ALARM = 17;
    public static final int CANCEL_PENDING_INTENT = 18;
    public static final int CANCEL_JOB = 19;
    public static final int CANCEL_WORK = 20;

    public static final int ACTIVITY_INTENT = 32;
    public static final int ACTIVITY_RESULT = 33;
    public static final int SERVICE_START = 34;
    public static final int SERVICE_BIND = 35;
    public static final int RECEIVE = 36;
    public static final int JOB = 37;
    public static final int WORK = 38;
    public static final int PROVIDER = 39;
    public static final int SERVICE_DESTROYED = 40;

    public static final int LEAVES = 1;
    public static final int PERIODIC = 2;
    public static final int EXACT = 4;
    public static final int WAKE_UP = 8;
    public static final int FOREGROUND = 16;
    public static final int FROM_SYSTEM = 32;
    public static final int REPLACES = 64;

    private Kind() {}
}

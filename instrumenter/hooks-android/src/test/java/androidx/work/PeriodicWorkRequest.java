package androidx.work;

/** As in androidx. */
public class PeriodicWorkRequest extends WorkRequest {}

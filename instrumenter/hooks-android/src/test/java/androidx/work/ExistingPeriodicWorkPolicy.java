package androidx.work;

/** As in androidx. */
public enum ExistingPeriodicWorkPolicy {}

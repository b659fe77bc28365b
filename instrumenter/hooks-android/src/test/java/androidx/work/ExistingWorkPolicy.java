package androidx.work;

/** As in androidx. */
public enum ExistingWorkPolicy {
    KEEP
}

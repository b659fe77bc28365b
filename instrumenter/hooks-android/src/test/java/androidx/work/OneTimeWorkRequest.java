package androidx.work;

/** As in androidx. */
public class OneTimeWorkRequest extends WorkRequest {}

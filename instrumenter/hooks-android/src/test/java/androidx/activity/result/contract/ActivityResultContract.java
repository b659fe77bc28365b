package androidx.activity.result.contract;

/** As in androidx. */
public abstract class ActivityResultContract<I, O> {}

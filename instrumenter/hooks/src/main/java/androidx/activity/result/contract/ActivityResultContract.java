package androidx.activity.result.contract;

/** What a launcher starts. For the compiler only: the app has the class. */
public abstract class ActivityResultContract<I, O> {}

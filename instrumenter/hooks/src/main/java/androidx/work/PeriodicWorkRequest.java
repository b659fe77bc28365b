package androidx.work;

/** A request for work that repeats. For the compiler only: the app has the class. */
public abstract class PeriodicWorkRequest extends WorkRequest {}

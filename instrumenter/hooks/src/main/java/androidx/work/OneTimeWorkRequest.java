package androidx.work;

/** A request for work that runs once. For the compiler only: the app has the class. */
public abstract class OneTimeWorkRequest extends WorkRequest {}

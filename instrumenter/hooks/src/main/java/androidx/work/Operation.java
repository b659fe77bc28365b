package androidx.work;

/** The state of an enqueued request. For the compiler only: the app has the class. */
public interface Operation {}

package androidx.work;

/** What happens to earlier work of a name. For the compiler only: the app has the class. */
public class ExistingWorkPolicy {}

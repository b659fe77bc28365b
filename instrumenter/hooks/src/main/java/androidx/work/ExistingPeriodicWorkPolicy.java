package androidx.work;

/** What happens to earlier periodic work of a name. For the compiler only: the app has the class. */
public class ExistingPeriodicWorkPolicy {}

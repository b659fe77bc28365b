package androidx.core.app;

/** Options of a start. For the compiler only: the app has the class. */
public class ActivityOptionsCompat {}

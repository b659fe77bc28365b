package androidx.core.app;

/** As in androidx. */
public class ActivityOptionsCompat {}

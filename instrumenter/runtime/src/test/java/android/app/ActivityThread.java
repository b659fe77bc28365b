package android.app;

/** The class by which the runtime finds the app. Without an application, as on a JVM, there is nothing to find. */
public final class ActivityThread {
    /** The app that a test provides, or null. */
    public static volatile Object application;

    private ActivityThread() {}

    public static Object currentApplication() {
        return application;
    }
}

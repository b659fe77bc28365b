package android.app;

/** Of Android 14. Robolectric's shadow of {@link UiModeManager} names it, so no app could use that manager without it. */
public interface UiModeManager$ContrastChangeListener {}

package android.net.wifi;

/** Of Android 14. Robolectric's shadow of {@link WifiManager} names it, so no app could use Wi-Fi without it. */
public interface WifiManager$LocalOnlyConnectionFailureListener {}

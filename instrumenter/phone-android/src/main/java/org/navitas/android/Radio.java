package org.navitas.android;

import java.io.IOException;
import org.navitas.phone.PhoneRequest;
import org.robolectric.RuntimeEnvironment;

/** The radios that apps of older Android versions could switch. */
final class Radio {
    private Radio() {}

    /**
     * Switches a radio.
     *
     * @param name as {@code svc} names it
     * @param isOn whether to switch it on
     * @param since apps for this version or a newer one cannot switch it
     * @return whether the radio is as requested
     */
    static boolean set(String name, boolean isOn, int since) {
        if (RuntimeEnvironment.getApplication().getApplicationInfo().targetSdkVersion >= since) {
            return false;
        }
        try {
            PhoneRequest.ask("radio", name, isOn ? "1" : "0");
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}

package android.nfc;

/** Of Android 14. Robolectric's shadow of {@link NfcAdapter} names it, so no app could use NFC without it. */
public final class NfcAntennaInfo {
    private NfcAntennaInfo() {}
}

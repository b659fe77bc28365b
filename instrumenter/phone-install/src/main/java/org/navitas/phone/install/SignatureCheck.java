package org.navitas.phone.install;

import com.android.apksig.ApkVerifier;
import com.android.apksig.apk.ApkFormatException;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UnsupportedEncodingException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;

/**
 * Checks an APK's signatures as Android of a given API level does: {@code SignatureCheck APK LEVEL}.
 *
 * <p>Prints lines of UTF-8: {@code scheme NUMBER} for each valid scheme (1, 2, 3), {@code signer SHA256} for the
 * certificate of each signer, and {@code refused REASON} if the APK must not be installed.
 */
public final class SignatureCheck {
    private SignatureCheck() {}

    public static void main(String[] arguments) throws UnsupportedEncodingException {
        PrintStream out = new PrintStream(System.out, true, "UTF-8");
        try {
            check(new File(arguments[0]), Integer.parseInt(arguments[1]), out);
        } catch (ApkFormatException
                | IOException
                | NoSuchAlgorithmException
                | CertificateEncodingException
                | RuntimeException e) {
            out.println("refused " + line(e.getMessage() == null ? e.getClass().getName() : e.getMessage()));
        }
    }

    static void check(File apk, int level, PrintStream out)
            throws ApkFormatException, IOException, NoSuchAlgorithmException, CertificateEncodingException {
        // From the phone's API level on: lower levels would also require an older scheme.
        ApkVerifier.Result result = new ApkVerifier.Builder(apk)
                .setMinCheckedPlatformVersion(level)
                .setMaxCheckedPlatformVersion(level)
                .build()
                .verify();
        boolean[] schemes = {
            result.isVerifiedUsingV1Scheme(),
            result.isVerifiedUsingV2Scheme(),
            result.isVerifiedUsingV3Scheme() || result.isVerifiedUsingV31Scheme(),
        };
        for (int i = 0; i < schemes.length; i++) {
            if (schemes[i]) {
                out.println("scheme " + (i + 1));
            }
        }
        for (X509Certificate certificate : result.getSignerCertificates()) {
            out.println("signer " + hex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded())));
        }
        if (!result.isVerified()) {
            String reason = result.getAllErrors().isEmpty()
                    ? "no signature"
                    : result.getAllErrors().get(0).toString();
            out.println("refused " + line(reason));
        }
    }

    private static String line(String text) {
        return text.replaceAll("\\s+", " ");
    }

    private static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte one : bytes) {
            text.append(String.format("%02x", one));
        }
        return text.toString();
    }
}

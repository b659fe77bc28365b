package org.navitas.hooks.intents;

import android.content.Context;
import android.content.Intent;
import android.content.pm.PackageManager;
import android.os.Bundle;
import android.os.Process;
import java.util.UUID;

/**
 * Tokens by which a receiver's record is matched with its sender's, and the extra in which intents carry them.
 *
 * <p>The app's own intents stay as they are, since copies are sent; and receivers remove the extra before their code runs.
 * Only code of the app that the platform calls between the two can see it: an {@code AppComponentFactory}, and
 * {@code onActivityPreCreated} of {@code ActivityLifecycleCallbacks}.
 */
public final class Tokens {
    /** A long; or an array with it, if the intent's extras were empty but there. */
    private static final String EXTRA = "org.navitas.token";

    /** Made of the app's installation, once it is known. */
    private static volatile long installation;
    /** The app's package, once it is known. */
    private static volatile String own;

    private Tokens() {}

    /** Returns a token that no other send has. */
    public static long fresh() {
        IntentTables tables = IntentTables.get();
        long seed = tables.seed ^ Hashes.mixed(~(long) Process.myPid());
        long token;
        do {
            token = Hashes.mixed(seed
                    + Hashes.STEP * tables.sends.incrementAndGet()); // one-to-one, so all tokens of a process differ
        } while (token == 0);
        return token;
    }

    /** Returns the token of an object that has a random id. */
    public static long of(UUID id) {
        long token = Hashes.mixed(id.getMostSignificantBits()) ^ id.getLeastSignificantBits();
        return token == 0 ? 1 : token;
    }

    /**
     * Returns a number that is the same in all processes of an installation of the app. It differs between phones, so that
     * tokens made of it do not show what they are made of. Costs one call of the system in a process, and reads no file.
     */
    static long ofInstallation(Context context) {
        long known = installation;
        if (known == 0 && context != null) {
            known = Hashes.mixed(Hashes.STEP + installedMs(context));
            installation = known;
        }
        return known;
    }

    private static long installedMs(Context context) {
        try {
            String own = ownPackage(context);
            Context platform = Resolved.platform(context);
            return platform.getPackageManager()
                    .getPackageInfo(own == null ? platform.getPackageName() : own, 0)
                    .firstInstallTime;
        } catch (PackageManager.NameNotFoundException | RuntimeException | LinkageError e) {
            return 0;
        }
    }

    /** Returns the app's package, or null while it is unknown. A context of another app's package does not matter. */
    static String ownPackage(Context context) {
        String known = own;
        if (known == null && context != null) {
            Context app = context.getApplicationContext();
            known = app == null ? null : app.getPackageName();
            own = known;
        }
        return known;
    }

    /** Returns a copy of an intent that carries a token, or null if the intent cannot carry one. */
    static Intent put(Intent intent, long token) {
        if (intent.getClass() != Intent.class) {
            return null; // a copy would not be of the app's own class
        }
        try {
            Intent copy = new Intent(intent);
            boolean hasExtras = intent.getExtras() != null; // without reading them
            copy.putExtra(EXTRA, token);
            if (hasExtras && copy.getExtras().size() == 1) {
                copy.putExtra(EXTRA, new long[] {token});
            }
            return copy;
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            return null; // the extras cannot be read, as the app or the receiver may find out
        }
    }

    /**
     * Removes the token from a received intent. The intent is then as it was before {@link #put}.
     *
     * @return the token, or 0 if there is none
     */
    static long take(Intent intent) {
        try {
            Bundle extras =
                    intent == null ? null : intent.getExtras(); // a copy: extras that cannot be read stay as they are
            Object carried = extras == null ? null : extras.get(EXTRA);
            if (carried instanceof Long) {
                intent.removeExtra(EXTRA);
                return (Long) carried;
            }
            if (carried instanceof long[]) {
                intent.removeExtra(EXTRA);
                if (intent.getExtras() == null) { // else the sender of a pending intent has filled in others
                    intent.replaceExtras(new Bundle());
                }
                return ((long[]) carried)[0];
            }
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) { // damaged lengths ask for huge arrays
            return 0;
        }
        return 0;
    }
}

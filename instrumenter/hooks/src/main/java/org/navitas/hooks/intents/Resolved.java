package org.navitas.hooks.intents;

import android.content.Context;
import android.content.ContextWrapper;
import android.content.Intent;
import android.content.pm.PackageManager;
import android.content.pm.ResolveInfo;
import java.util.List;
import org.navitas.hooks.base.LatestUsed;

/**
 * Whether the components that an intent can reach, which names only the app's package, remove tokens. One call of the
 * system finds out for all equal intents and a kind of receiver. Thread-safe.
 */
final class Resolved {
    private static final int MOST_WRAPPERS = 16;

    private Resolved() {}

    /** Returns whether each component of the app's manifest that can receive an intent removes the token. */
    static boolean removeTokens(Intent intent, Context sender, int receiver) {
        if (intent.getType() == null && "content".equals(intent.getScheme())) {
            return false; // the system would call a provider for the type
        }
        LatestUsed<Intent.FilterComparison, Boolean> known =
                IntentTables.get().resolved.get(receiver);
        Boolean found;
        synchronized (known) {
            found = known.get(new Intent.FilterComparison(intent));
        }
        if (found == null) {
            Intent filter = intent.cloneFilter(); // without extras, which can be large
            found = ask(filter, sender, receiver);
            synchronized (known) {
                known.put(new Intent.FilterComparison(filter), found);
            }
        }
        return found;
    }

    /** A broadcast that no receiver of the manifest gets can go to registered ones, which {@link Broadcasts} knows. */
    @SuppressWarnings("deprecation")
    private static boolean ask(Intent filter, Context sender, int receiver) {
        try {
            PackageManager packages = platform(sender).getPackageManager();
            List<ResolveInfo> all = receiver == Components.ACTIVITY
                    ? packages.queryIntentActivities(filter, PackageManager.MATCH_DEFAULT_ONLY)
                    : receiver == Components.RECEIVER
                            ? packages.queryBroadcastReceivers(filter, 0)
                            : packages.queryIntentServices(filter, 0);
            for (ResolveInfo each : all) {
                if (!Components.removesTokens(classOf(each), sender, receiver)) {
                    return false;
                }
            }
            return receiver == Components.RECEIVER || !all.isEmpty();
        } catch (RuntimeException | LinkageError e) { // the system is ending, or the context has no package manager
            return false;
        }
    }

    /** Returns the platform's context below an app's own: its methods run no code of the app. */
    static Context platform(Context context) {
        Context each = context;
        for (int i = 0; i < MOST_WRAPPERS && each instanceof ContextWrapper; i++) {
            Context base = ((ContextWrapper) each).getBaseContext();
            if (base == null) {
                return each;
            }
            each = base;
        }
        return each;
    }

    private static String classOf(ResolveInfo found) {
        if (found.activityInfo == null) {
            return found.serviceInfo.name;
        }
        String target = found.activityInfo.targetActivity; // of an alias
        return target == null ? found.activityInfo.name : target;
    }
}

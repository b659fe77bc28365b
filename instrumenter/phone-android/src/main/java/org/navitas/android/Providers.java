package org.navitas.android;

import android.app.Application;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.pm.ProviderInfo;
import android.net.Uri;
import java.util.Arrays;
import java.util.Comparator;
import org.robolectric.shadows.ShadowContentResolver;

/** Creates the app's content providers before {@code Application.onCreate}; Robolectric creates each on its first use. */
final class Providers {
    private Providers() {}

    /** Creates the enabled providers, those with the highest order first (AOSP: ActivityThread.installContentProviders). */
    static void install(Application app) {
        PackageInfo info;
        try {
            info = app.getPackageManager().getPackageInfo(app.getPackageName(), PackageManager.GET_PROVIDERS);
        } catch (PackageManager.NameNotFoundException e) {
            throw new AssertionError(e);
        }
        if (info.providers == null) {
            return;
        }
        Arrays.stream(info.providers)
                .filter(provider -> provider.enabled && provider.authority != null)
                .sorted(Comparator.comparingInt((ProviderInfo provider) -> provider.initOrder)
                        .reversed())
                .forEach(provider -> ShadowContentResolver.getProvider(
                        Uri.parse("content://" + provider.authority.split(";")[0])));
    }
}

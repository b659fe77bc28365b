package org.navitas.android;

import android.content.Context;
import android.content.ContextWrapper;
import android.content.res.AssetManager;
import android.content.res.Resources;

/** The context of the test package (Instrumentation.getContext), with the assets and resources of the test APK. */
final class TestContext extends ContextWrapper {
    private final Resources resources;

    /** Creates the context from the app under test's context and the path of the test APK. */
    TestContext(Context app, String apk) {
        super(app);
        Resources appResources = app.getResources();
        resources = new Resources(assets(apk), appResources.getDisplayMetrics(), appResources.getConfiguration());
    }

    /** Uses reflection: both methods are hidden in the SDK that this is compiled with. */
    private static AssetManager assets(String apk) {
        try {
            AssetManager assets = AssetManager.class.getDeclaredConstructor().newInstance();
            AssetManager.class.getMethod("addAssetPath", String.class).invoke(assets, apk);
            return assets;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read the assets of " + apk, e);
        }
    }

    @Override
    public AssetManager getAssets() {
        return resources.getAssets();
    }

    @Override
    public Resources getResources() {
        return resources;
    }
}

package org.navitas.android;

import android.content.Context;
import android.content.ContextWrapper;
import android.content.res.AssetManager;
import android.content.res.Resources;

/** The context of the tests' own package (Instrumentation.getContext): its assets and resources are those of the test APK. */
final class TestContext extends ContextWrapper {
    private final Resources resources;

    /** {@code app} is the context of the app under test, {@code apk} the path of the test APK. */
    TestContext(Context app, String apk) {
        super(app);
        Resources own = app.getResources();
        resources = new Resources(assets(apk), own.getDisplayMetrics(), own.getConfiguration());
    }

    /** Both methods are hidden from the SDK that this is compiled with. */
    private static AssetManager assets(String apk) {
        try {
            AssetManager assets = AssetManager.class.getDeclaredConstructor().newInstance();
            AssetManager.class.getMethod("addAssetPath", String.class).invoke(assets, apk);
            return assets;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the assets of " + apk + " cannot be read", e);
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

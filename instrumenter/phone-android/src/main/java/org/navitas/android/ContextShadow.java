package org.navitas.android;

import android.content.ComponentName;
import android.content.Intent;
import android.content.ServiceConnection;
import java.util.concurrent.Executor;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowContextImpl;

/** Runs the app's services; Robolectric only records the requests. */
@Implements(className = "android.app.ContextImpl")
public class ContextShadow extends ShadowContextImpl {
    @Implementation
    @Override
    protected ComponentName startService(Intent intent) {
        ComponentName noted = super.startService(intent);
        ComponentName started = Services.start(intent);
        return started == null ? noted : started;
    }

    @Implementation
    @Override
    protected boolean stopService(Intent intent) {
        boolean wasNoted = super.stopService(intent);
        return Services.stop(intent) || wasNoted;
    }

    @Implementation
    @Override
    protected boolean bindService(Intent intent, ServiceConnection connection, int flags) {
        return Services.bind(intent, connection, null) || super.bindService(intent, connection, flags);
    }

    @Implementation
    @Override
    protected boolean bindService(Intent intent, int flags, Executor executor, ServiceConnection connection) {
        return Services.bind(intent, connection, executor) || super.bindService(intent, flags, executor, connection);
    }

    @Implementation
    @Override
    protected void unbindService(ServiceConnection connection) {
        if (!Services.unbind(connection)) {
            super.unbindService(connection);
        }
    }
}

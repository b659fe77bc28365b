package org.navitas.android;

import android.app.Service;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowService;

/** Stops a service that stops itself. */
@Implements(className = "android.app.Service")
public class ServiceShadow extends ShadowService {
    @RealObject
    private Service service;

    @Implementation
    @Override
    protected void stopSelf() {
        super.stopSelf();
        Services.stopSelf(service, -1);
    }

    @Implementation
    @Override
    protected void stopSelf(int startId) {
        super.stopSelf(startId);
        Services.stopSelf(service, startId);
    }

    @Implementation
    @Override
    protected boolean stopSelfResult(int startId) {
        Services.stopSelf(service, startId);
        return super.stopSelfResult(startId);
    }
}

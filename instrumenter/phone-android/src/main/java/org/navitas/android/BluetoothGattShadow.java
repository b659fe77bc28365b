package org.navitas.android;

import android.bluetooth.BluetoothGatt;
import org.navitas.phone.ComponentUse;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowBluetoothGatt;

/** The end of links to other devices, and their return. */
@Implements(className = "android.bluetooth.BluetoothGatt")
public class BluetoothGattShadow extends ShadowBluetoothGatt {
    static final String LINK = "blelink";

    @RealObject
    private BluetoothGatt link;

    @Implementation
    @Override
    protected boolean connect() {
        boolean connects = super.connect();
        if (connects) {
            ComponentUse.start(LINK, link, "link", 0);
        }
        return connects;
    }

    @Implementation
    @Override
    protected void disconnect() {
        super.disconnect();
        ComponentUse.stop(LINK, link);
    }

    @Implementation
    @Override
    protected void close() {
        super.close();
        ComponentUse.stop(LINK, link);
    }
}

package org.navitas.android;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import java.util.concurrent.atomic.AtomicBoolean;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowApplication;
import org.robolectric.shadows.ShadowBroadcastReceiver;
import org.robolectric.util.ReflectionHelpers;

/** Gives each receiver its own intent and context, as a phone does, and no broadcasts that a phone does not deliver. */
@Implements(className = "android.content.BroadcastReceiver")
public class ReceiverShadow extends ShadowBroadcastReceiver {
    @RealObject private BroadcastReceiver self;

    @Override
    public void onReceive(Context sender, Intent intent, AtomicBoolean isAborted) {
        Context registrar = registrar();
        boolean isDelivered = registrar == null || BroadcastRules.isDelivered(intent, self, registrar);
        Context context = registrar == null ? RuntimeEnvironment.getApplication() : registrar;
        super.onReceive(context, new Intent(intent), isDelivered ? isAborted : new AtomicBoolean(true));
    }

    /**
     * Returns the context that registered the receiver, such as an activity: the application for those of the manifest,
     * which Robolectric registers. Null for a receiver of an ordered broadcast's result.
     */
    private Context registrar() {
        for (ShadowApplication.Wrapper each : Shadows.shadowOf(RuntimeEnvironment.getApplication()).getRegisteredReceivers()) {
            if (each.getBroadcastReceiver() == self) {
                return ReflectionHelpers.callInstanceMethod(each.getContext(), "getOuterContext"); // of ContextImpl
            }
        }
        return null;
    }
}

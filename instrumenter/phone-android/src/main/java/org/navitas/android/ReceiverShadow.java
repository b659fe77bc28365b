package org.navitas.android;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowApplication;
import org.robolectric.shadows.ShadowBroadcastReceiver;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.reflector.Direct;
import org.robolectric.util.reflector.ForType;

/**
 * Gives each receiver its own intent, context and result, as a phone does, and no broadcasts that a phone does not deliver.
 *
 * <p>Robolectric sets the result of an ordered broadcast when it is sent, so a broadcast that is delivered in between would
 * finish it, and its own delivery would throw.
 */
@Implements(className = "android.content.BroadcastReceiver")
public class ReceiverShadow extends ShadowBroadcastReceiver {
    private final Queue<BroadcastReceiver.PendingResult> ordered = new ConcurrentLinkedQueue<>();
    /** The result of the broadcast that the thread delivers next, if it is not ordered. */
    private final ThreadLocal<BroadcastReceiver.PendingResult> next = new ThreadLocal<>();

    @RealObject
    private BroadcastReceiver self;

    @Implementation
    protected void setPendingResult(BroadcastReceiver.PendingResult result) {
        if (result != null && ReflectionHelpers.<Boolean>getField(result, "mOrderedHint")) {
            ordered.add(result);
        } else {
            next.set(result);
            reflector(Receiver.class, self).setPendingResult(result);
        }
    }

    @Override
    public void onReceive(Context sender, Intent intent, AtomicBoolean isAborted) {
        if (next.get() == null) {
            reflector(Receiver.class, self).setPendingResult(ordered.poll());
        }
        next.remove();
        Context registrar = registrar();
        boolean isDelivered = registrar == null || BroadcastRules.isDelivered(intent, self, registrar);
        Context context = registrar == null ? RuntimeEnvironment.getApplication() : registrar;
        super.onReceive(context, new Intent(intent), isDelivered ? isAborted : new AtomicBoolean(true));
    }

    /** Receives a broadcast that was sent before the app registered it, unless it is no longer registered. */
    void receiveSticky(Intent intent) {
        Context registrar = registrar();
        if (registrar != null && !BroadcastRules.isOfManifest(self, registrar)) {
            setPendingResult(new BroadcastReceiver.PendingResult(0, null, null, 0, false, true, null, 0, 0));
            onReceive(RuntimeEnvironment.getApplication(), intent, new AtomicBoolean());
        }
    }

    /**
     * Returns the context that registered the receiver, such as an activity: the application for those of the manifest,
     * which Robolectric registers. Null for a receiver of an ordered broadcast's result.
     */
    private Context registrar() {
        for (ShadowApplication.Wrapper each :
                Shadows.shadowOf(RuntimeEnvironment.getApplication()).getRegisteredReceivers()) {
            if (each.getBroadcastReceiver() == self) {
                return ReflectionHelpers.callInstanceMethod(each.getContext(), "getOuterContext"); // of ContextImpl
            }
        }
        return null;
    }

    @ForType(BroadcastReceiver.class)
    interface Receiver {
        @Direct
        void setPendingResult(BroadcastReceiver.PendingResult result);
    }
}

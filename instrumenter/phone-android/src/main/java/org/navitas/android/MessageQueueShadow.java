package org.navitas.android;

import android.os.Looper;
import android.os.Message;
import android.os.MessageQueue;
import android.os.SystemClock;
import java.lang.reflect.Field;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowPausedMessageQueue;

/**
 * A looper wakes when its next message is due by the running clock. Robolectric's waits until a test moves the clock.
 */
@Implements(className = "android.os.MessageQueue", isInAndroidSdk = false)
public class MessageQueueShadow extends ShadowPausedMessageQueue {
    private static final Field PENDING_WAKE = field("pendingWake");
    private static final Field IS_POLLING = field("isPolling");

    @RealObject
    private MessageQueue queue;

    @Implementation
    @Override
    protected void nativePollOnce(long pointer, int timeoutMillis) {
        synchronized (queue) {
            try {
                IS_POLLING.setBoolean(this, true);
                if (timeoutMillis != 0 && !PENDING_WAKE.getBoolean(this)) {
                    queue.wait(Math.max(0, timeoutMillis));
                }
                IS_POLLING.setBoolean(this, false);
                PENDING_WAKE.setBoolean(this, false);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IllegalAccessException e) {
                throw new AssertionError(e);
            }
        }
    }

    /**
     * Enqueues a message and wakes Espresso when it is due. Espresso waits on the main thread, in Robolectric's
     * LocalUiController, until resources are idle. That wait ends when a message arrives, not when one is due.
     */
    @Implementation
    @Override
    protected boolean enqueueMessage(Message message, long when) {
        boolean isQueued = super.enqueueMessage(message, when);
        long delayMillis = when - SystemClock.uptimeMillis();
        Looper main = Looper.getMainLooper();
        if (isQueued && delayMillis > 0 && main != null && queue == main.getQueue() && Alarm.isNeeded()) {
            Alarm.set(queue, delayMillis);
        }
        return isQueued;
    }

    private static Field field(String name) {
        try {
            Field found = ShadowPausedMessageQueue.class.getDeclaredField(name);
            found.setAccessible(true);
            return found;
        } catch (NoSuchFieldException e) {
            throw new AssertionError(e);
        }
    }
}

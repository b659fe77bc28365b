package androidx.localbroadcastmanager.content;

import android.content.Intent;

/** As in androidx. */
public abstract class LocalBroadcastManager {
    public abstract boolean sendBroadcast(Intent intent);
}

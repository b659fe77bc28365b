package androidx.localbroadcastmanager.content;

import android.content.BroadcastReceiver;
import android.content.Intent;
import android.content.IntentFilter;

/** Broadcasts within a process. For the compiler only: the app has the class. */
public abstract class LocalBroadcastManager {
    public abstract boolean sendBroadcast(Intent intent);

    public abstract void sendBroadcastSync(Intent intent);

    public abstract void registerReceiver(BroadcastReceiver receiver, IntentFilter filter);
}

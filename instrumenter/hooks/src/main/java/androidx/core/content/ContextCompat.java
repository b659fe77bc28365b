package androidx.core.content;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.os.Handler;

/** Calls of contexts for all versions of Android. For the compiler only: the app has the class. */
public class ContextCompat {
    public static Intent registerReceiver(Context context, BroadcastReceiver receiver, IntentFilter filter, int flags) {
        throw new UnsupportedOperationException();
    }

    public static Intent registerReceiver(
            Context context,
            BroadcastReceiver receiver,
            IntentFilter filter,
            String permission,
            Handler handler,
            int flags) {
        throw new UnsupportedOperationException();
    }
}

package androidx.bench;

import android.content.ComponentName;
import android.content.Context;
import android.content.ContextWrapper;
import android.content.Intent;

/** A context that does nothing with intents, in a package that hooks take for the platform's: what remains is the hook. */
public class QuietContext extends ContextWrapper {
    /** Keeps the JVM from leaving out the copy. */
    public volatile Intent last;

    private static final ComponentName NAME = new ComponentName("a", "b");

    public QuietContext(Context base) {
        super(base);
    }

    @Override
    public ComponentName startService(Intent service) {
        last = service;
        return NAME;
    }

    @Override
    public void sendBroadcast(Intent intent) {
        last = intent;
    }
}

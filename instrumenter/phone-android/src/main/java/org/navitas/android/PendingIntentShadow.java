package org.navitas.android;

import android.app.PendingIntent;
import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.os.Handler;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowPendingIntent;

/** Pending intents of activities start them; Robolectric only records the starts. */
@Implements(className = "android.app.PendingIntent")
public class PendingIntentShadow extends ShadowPendingIntent {
    @Implementation
    @Override
    protected void send(
            Context context,
            int code,
            Intent fill,
            PendingIntent.OnFinished finished,
            Handler handler,
            String permission,
            Bundle options)
            throws PendingIntent.CanceledException {
        super.send(context, code, fill, finished, handler, permission, options);
        if (isActivity()) {
            Intent intent = new Intent(getSavedIntent());
            if (fill != null && (getFlags() & PendingIntent.FLAG_IMMUTABLE) == 0) {
                intent.fillIn(fill, 0);
            }
            Activities.start(intent, options, null, null, -1);
        }
    }
}

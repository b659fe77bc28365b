package org.navitas.android;

import android.app.Activity;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowActivity;

/** An activity that is finished leaves the task. */
@Implements(className = "android.app.Activity")
public class ActivityShadow extends ShadowActivity {
    @RealObject private Activity activity;

    @Implementation
    @Override
    protected void finish() {
        super.finish();
        Activities.finishing(activity);
    }

    @Implementation
    @Override
    protected void finishAndRemoveTask() {
        super.finishAndRemoveTask();
        Activities.finishing(activity);
    }

    @Implementation
    @Override
    protected void finishAffinity() {
        super.finishAffinity();
        Activities.finishing(activity);
    }
}

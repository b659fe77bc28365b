package org.navitas.android;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.app.Activity;
import android.view.ViewParent;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowActivity;
import org.robolectric.util.reflector.Direct;
import org.robolectric.util.reflector.ForType;

/** An activity that is finished leaves the task; one that is made visible is laid out. */
@Implements(className = "android.app.Activity")
public class ActivityShadow extends ShadowActivity {
    @RealObject private Activity activity;

    /**
     * Robolectric gives the focus to the window in the same message, and needs it laid out: that can't wait for the next frame
     * (see {@link VsyncShadow}), which is then one that finds nothing left to lay out.
     */
    @Implementation
    protected void makeVisible() {
        reflector(ActivityReflector.class, activity).makeVisible();
        ViewParent root = activity.getWindow().getDecorView().getParent();
        if (root != null) {
            reflector(ViewRootReflector.class, root).doTraversal();
        }
    }

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

    @ForType(Activity.class)
    private interface ActivityReflector {
        @Direct
        void makeVisible();
    }

    @ForType(className = "android.view.ViewRootImpl")
    private interface ViewRootReflector {
        void doTraversal();
    }
}

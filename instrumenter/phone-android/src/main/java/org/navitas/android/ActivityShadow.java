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

/** Removes finished activities from the task, and lays out activities that become visible. */
@Implements(className = "android.app.Activity")
public class ActivityShadow extends ShadowActivity {
    @RealObject
    private Activity activity;

    /**
     * Lays out the window at once: Robolectric gives it the focus in the same message, and that needs a layout. The
     * next frame (see {@link VsyncShadow}) would be too late; it then finds nothing to lay out.
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

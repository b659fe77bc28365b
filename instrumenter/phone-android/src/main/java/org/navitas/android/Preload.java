package org.navitas.android;

import android.app.Activity;
import android.widget.Button;
import android.widget.EditText;
import android.widget.LinearLayout;
import android.widget.TextView;
import org.robolectric.Robolectric;
import org.robolectric.android.controller.ActivityController;

/**
 * Loads the framework's classes and resources, as a phone's zygote does before any app starts. Otherwise the energy of
 * loading would count for the first test that shows an activity.
 */
final class Preload {
    private Preload() {}

    /** Runs on the main thread. */
    static void run() {
        ActivityController<Activity> controller =
                Robolectric.buildActivity(Activity.class).create();
        Activity activity = controller.get();
        LinearLayout layout = new LinearLayout(activity);
        layout.addView(new TextView(activity));
        layout.addView(new Button(activity));
        layout.addView(new EditText(activity));
        activity.getLayoutInflater().inflate(android.R.layout.simple_list_item_2, layout);
        activity.setContentView(layout);
        controller.start().postCreate(null).resume().visible().pause().stop().destroy();
    }
}

package org.navitas.hooks.intents;

import android.app.Activity;
import android.content.Intent;
import org.navitas.hooks.base.Kind;
import org.navitas.runtime.Hook;

/**
 * What activities call that do not override {@code onActivityResult}: the instrumenter adds the method. Fragments and
 * launchers of androidx get their results through it, too. So only the results of the activity's own requests are recorded.
 */
public final class UnhandledResults {
    private UnhandledResults() {}

    /** Called at the start of {@code Activity.onActivityResult}. */
    public static void onActivityResult(Object self, int requestCode, int resultCode, Intent data, Class<?> in) {
        if (Hook.records() && self instanceof Activity && AndroidTables.RESULT.isFirst(self, in)) {
            long token = Results.answered((Activity) self, requestCode);
            if (token != 0) {
                String module = self.getClass().getName();
                Hook.communication(Hook.now(), token, Kind.ACTIVITY_RESULT, 0, module, "", Sent.actionOf(data));
            }
        }
    }
}

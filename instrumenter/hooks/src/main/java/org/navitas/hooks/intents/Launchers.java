package org.navitas.hooks.intents;

import android.content.Intent;
import androidx.activity.result.ActivityResultLauncher;
import androidx.core.app.ActivityOptionsCompat;
import org.navitas.hooks.base.Kind;
import org.navitas.runtime.Hook;

/**
 * Hooks of launchers of activities for a result. If what is launched is an intent, and a contract of androidx passes it
 * on as it is, it carries a token as other intents do. Which other contracts start is not known.
 */
public final class Launchers {
    private static final String ANDROIDX = "androidx.activity.result.contract.";

    private Launchers() {}

    /** Hook of {@link ActivityResultLauncher#launch(Object)}. */
    public static <I> void launch(ActivityResultLauncher<I> launcher, I input) {
        Sent sent = by(launcher, input);
        launcher.launch(passed(sent, input));
        done(sent);
    }

    /** Hook of {@link ActivityResultLauncher#launch(Object, ActivityOptionsCompat)}. */
    public static <I> void launch(ActivityResultLauncher<I> launcher, I input, ActivityOptionsCompat options) {
        Sent sent = by(launcher, input);
        launcher.launch(passed(sent, input), options);
        done(sent);
    }

    private static Sent by(ActivityResultLauncher<?> launcher, Object input) {
        if (!Hook.records()) {
            return null;
        }
        boolean passesOn = false;
        try {
            passesOn = input instanceof Intent
                    && launcher.getContract().getClass().getName().startsWith(ANDROIDX);
        } catch (LinkageError | RuntimeException e) { // launchers of older versions lack the method
            passesOn = false;
        }
        Intent intent = input instanceof Intent ? (Intent) input : new Intent();
        return Sent.by(null, intent, passesOn ? Components.ACTIVITY : Components.NO_RECEIVER);
    }

    @SuppressWarnings("unchecked")
    private static <I> I passed(Sent sent, I input) {
        return sent != null && input instanceof Intent ? (I) sent.intent : input;
    }

    private static void done(Sent sent) {
        if (sent != null) {
            sent.done(Kind.START_ACTIVITY_FOR_RESULT);
        }
    }
}

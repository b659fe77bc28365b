package org.navitas.hooks.intents;

import android.app.Activity;
import android.app.Fragment;
import android.content.Intent;
import android.os.Bundle;
import org.navitas.hooks.base.Kind;
import org.navitas.runtime.Hook;

/** Hooks of starts of activities by the platform's fragments. Requests have codes of the fragment's own. */
@SuppressWarnings("deprecation")
public final class FragmentStarts {
    private FragmentStarts() {}

    /** Hook of {@link Fragment#startActivity(Intent)}. */
    public static void startActivity(Fragment fragment, Intent intent) {
        Sent sent = by(fragment, fragment.getActivity(), intent);
        fragment.startActivity(sent.intent);
        sent.done(Kind.START_ACTIVITY);
    }

    /** Hook of {@link Fragment#startActivity(Intent, Bundle)}. */
    public static void startActivity(Fragment fragment, Intent intent, Bundle options) {
        Sent sent = by(fragment, fragment.getActivity(), intent);
        fragment.startActivity(sent.intent, options);
        sent.done(Kind.START_ACTIVITY);
    }

    /** Hook of {@link Fragment#startActivityForResult(Intent, int)}. */
    public static void startActivityForResult(Fragment fragment, Intent intent, int requestCode) {
        Sent sent = by(fragment, fragment.getActivity(), intent);
        fragment.startActivityForResult(sent.intent, requestCode);
        sent.done(requestCode < 0 ? Kind.START_ACTIVITY : Kind.START_ACTIVITY_FOR_RESULT);
    }

    /** Hook of {@link Fragment#startActivityForResult(Intent, int, Bundle)}. */
    public static void startActivityForResult(Fragment fragment, Intent intent, int requestCode, Bundle options) {
        Sent sent = by(fragment, fragment.getActivity(), intent);
        fragment.startActivityForResult(sent.intent, requestCode, options);
        sent.done(requestCode < 0 ? Kind.START_ACTIVITY : Kind.START_ACTIVITY_FOR_RESULT);
    }

    /** Prepares a start by a fragment; one whose class overrides a start gets the app's own intent. */
    static Sent by(Object fragment, Activity activity, Intent intent) {
        boolean sees = Hook.records() && Components.overrides(fragment.getClass());
        return Sent.by(activity, intent, sees ? Components.NO_RECEIVER : Components.ACTIVITY);
    }
}

package org.navitas.hooks.intents;

import android.content.Intent;
import android.os.Bundle;
import androidx.fragment.app.Fragment;
import org.navitas.hooks.base.Kind;

/** Hooks of starts of activities by fragments of androidx. Requests have codes of the fragment's own. */
public final class AndroidxFragmentStarts {
    private AndroidxFragmentStarts() {}

    /** Hook of {@link Fragment#startActivity(Intent)}. */
    public static void startActivity(Fragment fragment, Intent intent) {
        Sent sent = FragmentStarts.by(fragment, fragment.getActivity(), intent);
        fragment.startActivity(sent.intent);
        sent.done(Kind.START_ACTIVITY);
    }

    /** Hook of {@link Fragment#startActivity(Intent, Bundle)}. */
    public static void startActivity(Fragment fragment, Intent intent, Bundle options) {
        Sent sent = FragmentStarts.by(fragment, fragment.getActivity(), intent);
        fragment.startActivity(sent.intent, options);
        sent.done(Kind.START_ACTIVITY);
    }

    /** Hook of {@link Fragment#startActivityForResult(Intent, int)}. */
    public static void startActivityForResult(Fragment fragment, Intent intent, int requestCode) {
        Sent sent = FragmentStarts.by(fragment, fragment.getActivity(), intent);
        fragment.startActivityForResult(sent.intent, requestCode);
        sent.done(requestCode < 0 ? Kind.START_ACTIVITY : Kind.START_ACTIVITY_FOR_RESULT);
    }

    /** Hook of {@link Fragment#startActivityForResult(Intent, int, Bundle)}. */
    public static void startActivityForResult(Fragment fragment, Intent intent, int requestCode, Bundle options) {
        Sent sent = FragmentStarts.by(fragment, fragment.getActivity(), intent);
        fragment.startActivityForResult(sent.intent, requestCode, options);
        sent.done(requestCode < 0 ? Kind.START_ACTIVITY : Kind.START_ACTIVITY_FOR_RESULT);
    }
}

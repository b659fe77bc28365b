package org.navitas.hooks.storage;

import android.content.SharedPreferences;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** Hooks of preferences: calls that write their file, now ({@code commit}) or soon ({@code apply}). */
public final class Preferences {
    private Preferences() {}

    /** Hook of {@link SharedPreferences.Editor#commit()}. */
    public static boolean commit(SharedPreferences.Editor editor) {
        long start = Hook.begin(Api.PREFERENCES);
        long done = Hook.FAILED;
        try {
            boolean result = editor.commit();
            done = 0;
            return result;
        } finally {
            Hook.end(Api.PREFERENCES, start, Hook.PREFERENCES, 0, done, System.identityHashCode(editor));
        }
    }

    /** Hook of {@link SharedPreferences.Editor#apply()}. */
    public static void apply(SharedPreferences.Editor editor) {
        long start = Hook.begin(Api.PREFERENCES_APPLY);
        long done = Hook.FAILED;
        try {
            editor.apply();
            done = 0;
        } finally {
            Hook.end(Api.PREFERENCES_APPLY, start, Hook.PREFERENCES, 0, done, System.identityHashCode(editor));
        }
    }
}

package org.navitas.android;

import android.view.KeyCharacterMap;
import android.view.KeyEvent;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowKeyCharacterMap;

/**
 * Lets keys be typed into fields that accept only some characters, such as numbers. Robolectric's keyboard finds no
 * match.
 */
@Implements(KeyCharacterMap.class)
public class KeyCharacterMapShadow extends ShadowKeyCharacterMap {
    /**
     * Returns the first of {@code characters} that the key gives, without modifiers if possible, else with others; 0 if
     * none.
     */
    @Implementation
    protected static char nativeGetMatch(long map, int keyCode, char[] characters, int metaState) {
        for (int state : new int[] {metaState, 0, KeyEvent.META_SHIFT_ON}) {
            char typed = nativeGetCharacter(map, keyCode, state);
            for (char one : characters) {
                if (one == typed && typed != 0) {
                    return one;
                }
            }
        }
        return 0;
    }
}

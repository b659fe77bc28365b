package org.navitas.android;

import android.view.KeyCharacterMap;
import android.view.KeyEvent;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowKeyCharacterMap;

/** Keys can be typed into fields that take some characters only, such as numbers; Robolectric's keyboard knows no match for them. */
@Implements(KeyCharacterMap.class)
public class KeyCharacterMapShadow extends ShadowKeyCharacterMap {
    /** Of the characters the one that the key gives, else the first that it gives with other modifiers; 0 for none. */
    @Implementation
    protected static char nativeGetMatch(long map, int keyCode, char[] characters, int metaState) {
        for (int state : new int[] {metaState, 0, KeyEvent.META_SHIFT_ON}) {
            char given = nativeGetCharacter(map, keyCode, state);
            for (char one : characters) {
                if (one == given && given != 0) {
                    return one;
                }
            }
        }
        return 0;
    }
}

package org.navitas.android;

import android.content.ContentResolver;
import android.content.Context;
import android.net.Uri;
import java.io.IOException;
import org.navitas.phone.PhoneRequest;
import org.navitas.phone.PhoneState;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.util.ReflectionHelpers;

/**
 * The phone's settings, which the shell's {@code settings} shows, too. This is where the framework's Settings asks the
 * settings provider; one cache stands for each namespace.
 */
@Implements(className = "android.provider.Settings$NameValueCache", isInAndroidSdk = false)
public class SettingsShadow {
    private static final String WRITE = "android.permission.WRITE_SETTINGS";
    private static final String WRITE_SECURE = "android.permission.WRITE_SECURE_SETTINGS";

    @RealObject
    private Object cache;

    /** Settings.System as in Android, except that the manifest decides who can write. */
    @Implements(className = "android.provider.Settings$System")
    public static class OfSystem {
        @Implementation
        protected static boolean canWrite(Context context) {
            return Permissions.isRequested(WRITE);
        }
    }

    /** Settings.Global as in Android. */
    @Implements(className = "android.provider.Settings$Global")
    public static class OfGlobal {}

    /** Settings.Secure as in Android. */
    @Implements(className = "android.provider.Settings$Secure")
    public static class OfSecure {}

    @Implementation
    protected String getStringForUser(ContentResolver resolver, String name, int user) {
        return PhoneState.get(namespace() + '.' + name);
    }

    @Implementation
    protected boolean putStringForUser(
            ContentResolver resolver,
            String name,
            String value,
            String tag,
            boolean isDefault,
            int user,
            boolean overrides) {
        return value == null ? request(name) : request(name, PhoneRequest.encoded(value));
    }

    @Implementation
    protected boolean deleteStringForUser(ContentResolver resolver, String name, int user) {
        return request(name);
    }

    private boolean request(String name, String... value) {
        String namespace = namespace();
        boolean isSystem = namespace.equals("system");
        String permission = isSystem ? WRITE : WRITE_SECURE;
        if (!Permissions.isRequested(permission)) {
            String own = RuntimeEnvironment.getApplication().getPackageName();
            throw new SecurityException(
                    isSystem
                            ? own + " was not granted  this permission: " + permission + "."
                            : "Permission denial: writing to settings requires:" + permission);
        }
        String[] words = new String[2 + value.length];
        words[0] = namespace;
        words[1] = PhoneRequest.encoded(name);
        System.arraycopy(value, 0, words, 2, value.length);
        try {
            PhoneRequest.ask("setting", words);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private String namespace() {
        return ReflectionHelpers.<Uri>getField(cache, "mUri").getLastPathSegment();
    }
}

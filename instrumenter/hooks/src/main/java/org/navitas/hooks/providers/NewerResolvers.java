package org.navitas.hooks.providers;

import android.content.ContentResolver;
import android.content.ContentValues;
import android.database.Cursor;
import android.net.Uri;
import android.os.Bundle;
import android.os.CancellationSignal;
import org.navitas.hooks.base.NewerPlatform;

/** Hooks of calls of content providers of Android 8, 10 and 11. */
@NewerPlatform
public final class NewerResolvers {
    private NewerResolvers() {}

    /** Hook of {@link ContentResolver#query(Uri, String[], Bundle, CancellationSignal)}. */
    public static Cursor query(ContentResolver resolver, Uri uri, String[] columns, Bundle arguments, CancellationSignal signal) {
        ProviderCall call = ProviderCall.begin();
        try {
            return resolver.query(uri, columns, arguments, signal);
        } finally {
            ProviderCall.end(call, ProviderCall.authorityOf(uri));
        }
    }

    /** Hook of {@link ContentResolver#insert(Uri, ContentValues, Bundle)}. */
    public static Uri insert(ContentResolver resolver, Uri uri, ContentValues values, Bundle extras) {
        ProviderCall call = ProviderCall.begin();
        try {
            return resolver.insert(uri, values, extras);
        } finally {
            ProviderCall.end(call, ProviderCall.authorityOf(uri));
        }
    }

    /** Hook of {@link ContentResolver#update(Uri, ContentValues, Bundle)}. */
    public static int update(ContentResolver resolver, Uri uri, ContentValues values, Bundle extras) {
        ProviderCall call = ProviderCall.begin();
        try {
            return resolver.update(uri, values, extras);
        } finally {
            ProviderCall.end(call, ProviderCall.authorityOf(uri));
        }
    }

    /** Hook of {@link ContentResolver#delete(Uri, Bundle)}. */
    public static int delete(ContentResolver resolver, Uri uri, Bundle extras) {
        ProviderCall call = ProviderCall.begin();
        try {
            return resolver.delete(uri, extras);
        } finally {
            ProviderCall.end(call, ProviderCall.authorityOf(uri));
        }
    }

    /** Hook of {@link ContentResolver#call(String, String, String, Bundle)}. */
    public static Bundle call(ContentResolver resolver, String authority, String method, String argument, Bundle extras) {
        ProviderCall call = ProviderCall.begin();
        try {
            return resolver.call(authority, method, argument, extras);
        } finally {
            ProviderCall.end(call, authority);
        }
    }
}

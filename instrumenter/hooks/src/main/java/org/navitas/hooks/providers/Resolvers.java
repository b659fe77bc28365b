package org.navitas.hooks.providers;

import android.content.ContentResolver;
import android.content.ContentValues;
import android.database.Cursor;
import android.net.Uri;
import android.os.Bundle;
import android.os.CancellationSignal;

/** Hooks of calls of content providers. */
public final class Resolvers {
    private Resolvers() {}

    /** Hook of {@link ContentResolver#query(Uri, String[], String, String[], String)}. */
    public static Cursor query(ContentResolver resolver, Uri uri, String[] columns, String selection, String[] arguments, String order) {
        ProviderCall call = ProviderCall.begin();
        try {
            return resolver.query(uri, columns, selection, arguments, order);
        } finally {
            ProviderCall.end(call, ProviderCall.authorityOf(uri));
        }
    }

    /** Hook of {@code ContentResolver.query} with a cancellation signal. */
    public static Cursor query(ContentResolver resolver, Uri uri, String[] columns, String selection, String[] arguments, String order, CancellationSignal signal) {
        ProviderCall call = ProviderCall.begin();
        try {
            return resolver.query(uri, columns, selection, arguments, order, signal);
        } finally {
            ProviderCall.end(call, ProviderCall.authorityOf(uri));
        }
    }

    /** Hook of {@link ContentResolver#insert(Uri, ContentValues)}. */
    public static Uri insert(ContentResolver resolver, Uri uri, ContentValues values) {
        ProviderCall call = ProviderCall.begin();
        try {
            return resolver.insert(uri, values);
        } finally {
            ProviderCall.end(call, ProviderCall.authorityOf(uri));
        }
    }

    /** Hook of {@link ContentResolver#update(Uri, ContentValues, String, String[])}. */
    public static int update(ContentResolver resolver, Uri uri, ContentValues values, String where, String[] arguments) {
        ProviderCall call = ProviderCall.begin();
        try {
            return resolver.update(uri, values, where, arguments);
        } finally {
            ProviderCall.end(call, ProviderCall.authorityOf(uri));
        }
    }

    /** Hook of {@link ContentResolver#delete(Uri, String, String[])}. */
    public static int delete(ContentResolver resolver, Uri uri, String where, String[] arguments) {
        ProviderCall call = ProviderCall.begin();
        try {
            return resolver.delete(uri, where, arguments);
        } finally {
            ProviderCall.end(call, ProviderCall.authorityOf(uri));
        }
    }

    /** Hook of {@link ContentResolver#call(Uri, String, String, Bundle)}. */
    public static Bundle call(ContentResolver resolver, Uri uri, String method, String argument, Bundle extras) {
        ProviderCall call = ProviderCall.begin();
        try {
            return resolver.call(uri, method, argument, extras);
        } finally {
            ProviderCall.end(call, ProviderCall.authorityOf(uri));
        }
    }
}

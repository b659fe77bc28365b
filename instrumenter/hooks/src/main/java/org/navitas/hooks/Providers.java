package org.navitas.hooks;

import android.content.ContentProvider;
import android.content.ContentValues;
import android.net.Uri;
import android.os.Bundle;
import android.os.CancellationSignal;
import org.navitas.runtime.Hook;

/**
 * What content providers call at the start of their methods. The platform calls the newest form of a method; what the app
 * does not override there calls the older form.
 */
public final class Providers {
    private static final Callback QUERY_BUNDLE = new Callback("query", Uri.class, String[].class, Bundle.class, CancellationSignal.class);
    private static final Callback QUERY_SIGNAL =
            new Callback("query", Uri.class, String[].class, String.class, String[].class, String.class, CancellationSignal.class);
    private static final Callback QUERY =
            new Callback("query", Uri.class, String[].class, String.class, String[].class, String.class);
    private static final Callback INSERT_BUNDLE = new Callback("insert", Uri.class, ContentValues.class, Bundle.class);
    private static final Callback INSERT = new Callback("insert", Uri.class, ContentValues.class);
    private static final Callback UPDATE_BUNDLE = new Callback("update", Uri.class, ContentValues.class, Bundle.class);
    private static final Callback UPDATE =
            new Callback("update", Uri.class, ContentValues.class, String.class, String[].class);
    private static final Callback DELETE_BUNDLE = new Callback("delete", Uri.class, Bundle.class);
    private static final Callback DELETE = new Callback("delete", Uri.class, String.class, String[].class);
    private static final Callback CALL_AUTHORITY =
            new Callback("call", String.class, String.class, String.class, Bundle.class);
    private static final Callback CALL = new Callback("call", String.class, String.class, Bundle.class);

    private Providers() {}

    /** Called at the start of {@code ContentProvider.query}. */
    public static void query(Object self, Uri uri, String[] columns, Bundle arguments, CancellationSignal signal, Class<?> in) {
        if (is(self)) {
            called(self, ProviderCall.authorityOf(uri), QUERY_BUNDLE.isFirst(self, in));
        }
    }

    /** Called at the start of {@code ContentProvider.query}. */
    public static void query(Object self, Uri uri, String[] columns, String selection, String[] arguments, String order, CancellationSignal signal, Class<?> in) {
        if (is(self)) {
            called(self, ProviderCall.authorityOf(uri), QUERY_SIGNAL.isFirst(self, in, QUERY_BUNDLE));
        }
    }

    /** Called at the start of {@code ContentProvider.query}. */
    public static void query(Object self, Uri uri, String[] columns, String selection, String[] arguments, String order, Class<?> in) {
        if (is(self)) {
            called(self, ProviderCall.authorityOf(uri), QUERY.isFirst(self, in, QUERY_BUNDLE, QUERY_SIGNAL));
        }
    }

    /** Called at the start of {@code ContentProvider.insert}. */
    public static void insert(Object self, Uri uri, ContentValues values, Bundle extras, Class<?> in) {
        if (is(self)) {
            called(self, ProviderCall.authorityOf(uri), INSERT_BUNDLE.isFirst(self, in));
        }
    }

    /** Called at the start of {@code ContentProvider.insert}. */
    public static void insert(Object self, Uri uri, ContentValues values, Class<?> in) {
        if (is(self)) {
            called(self, ProviderCall.authorityOf(uri), INSERT.isFirst(self, in, INSERT_BUNDLE));
        }
    }

    /** Called at the start of {@code ContentProvider.update}. */
    public static void update(Object self, Uri uri, ContentValues values, Bundle extras, Class<?> in) {
        if (is(self)) {
            called(self, ProviderCall.authorityOf(uri), UPDATE_BUNDLE.isFirst(self, in));
        }
    }

    /** Called at the start of {@code ContentProvider.update}. */
    public static void update(Object self, Uri uri, ContentValues values, String where, String[] arguments, Class<?> in) {
        if (is(self)) {
            called(self, ProviderCall.authorityOf(uri), UPDATE.isFirst(self, in, UPDATE_BUNDLE));
        }
    }

    /** Called at the start of {@code ContentProvider.delete}. */
    public static void delete(Object self, Uri uri, Bundle extras, Class<?> in) {
        if (is(self)) {
            called(self, ProviderCall.authorityOf(uri), DELETE_BUNDLE.isFirst(self, in));
        }
    }

    /** Called at the start of {@code ContentProvider.delete}. */
    public static void delete(Object self, Uri uri, String where, String[] arguments, Class<?> in) {
        if (is(self)) {
            called(self, ProviderCall.authorityOf(uri), DELETE.isFirst(self, in, DELETE_BUNDLE));
        }
    }

    /** Called at the start of {@code ContentProvider.call}. */
    public static void call(Object self, String authority, String method, String argument, Bundle extras, Class<?> in) {
        if (is(self)) {
            called(self, authority, CALL_AUTHORITY.isFirst(self, in));
        }
    }

    /** Called at the start of {@code ContentProvider.call}. */
    public static void call(Object self, String method, String argument, Bundle extras, Class<?> in) {
        if (is(self)) {
            called(self, null, CALL.isFirst(self, in, CALL_AUTHORITY));
        }
    }

    private static boolean is(Object self) {
        return Hook.records() && self instanceof ContentProvider;
    }

    /** Records a call: one with a token in the form that is called first, others in the newest form. */
    private static void called(Object self, String authority, boolean isNewest) {
        String module = self.getClass().getName();
        long token = ProviderCall.take(module);
        if (token != 0 || isNewest) {
            Hook.communication(
                    Hook.now(), token, Kind.PROVIDER, 0, module, "", authority == null ? "" : authority);
        }
    }
}

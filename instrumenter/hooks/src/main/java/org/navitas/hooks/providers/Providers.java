package org.navitas.hooks.providers;

import android.content.ContentProvider;
import android.content.ContentValues;
import android.net.Uri;
import android.os.Bundle;
import android.os.CancellationSignal;
import org.navitas.hooks.base.Kind;
import org.navitas.hooks.intents.AndroidTables;
import org.navitas.runtime.Hook;

/**
 * What content providers call at the start of their methods. The platform calls the newest form of a method; what the app
 * does not override there calls the older form.
 */
public final class Providers {
    private Providers() {}

    /** Called at the start of {@code ContentProvider.query}. */
    public static void query(
            Object self, Uri uri, String[] columns, Bundle arguments, CancellationSignal signal, Class<?> in) {
        if (is(self)) {
            called(self, ProviderCall.authorityOf(uri), AndroidTables.QUERY_BUNDLE.isFirst(self, in));
        }
    }

    /** Called at the start of {@code ContentProvider.query}. */
    public static void query(
            Object self,
            Uri uri,
            String[] columns,
            String selection,
            String[] arguments,
            String order,
            CancellationSignal signal,
            Class<?> in) {
        if (is(self)) {
            called(
                    self,
                    ProviderCall.authorityOf(uri),
                    AndroidTables.QUERY_SIGNAL.isFirst(self, in, AndroidTables.QUERY_BUNDLE));
        }
    }

    /** Called at the start of {@code ContentProvider.query}. */
    public static void query(
            Object self, Uri uri, String[] columns, String selection, String[] arguments, String order, Class<?> in) {
        if (is(self)) {
            boolean isFirst =
                    AndroidTables.QUERY.isFirst(self, in, AndroidTables.QUERY_BUNDLE, AndroidTables.QUERY_SIGNAL);
            called(self, ProviderCall.authorityOf(uri), isFirst);
        }
    }

    /** Called at the start of {@code ContentProvider.insert}. */
    public static void insert(Object self, Uri uri, ContentValues values, Bundle extras, Class<?> in) {
        if (is(self)) {
            called(self, ProviderCall.authorityOf(uri), AndroidTables.INSERT_BUNDLE.isFirst(self, in));
        }
    }

    /** Called at the start of {@code ContentProvider.insert}. */
    public static void insert(Object self, Uri uri, ContentValues values, Class<?> in) {
        if (is(self)) {
            called(
                    self,
                    ProviderCall.authorityOf(uri),
                    AndroidTables.INSERT.isFirst(self, in, AndroidTables.INSERT_BUNDLE));
        }
    }

    /** Called at the start of {@code ContentProvider.update}. */
    public static void update(Object self, Uri uri, ContentValues values, Bundle extras, Class<?> in) {
        if (is(self)) {
            called(self, ProviderCall.authorityOf(uri), AndroidTables.UPDATE_BUNDLE.isFirst(self, in));
        }
    }

    /** Called at the start of {@code ContentProvider.update}. */
    public static void update(
            Object self, Uri uri, ContentValues values, String where, String[] arguments, Class<?> in) {
        if (is(self)) {
            called(
                    self,
                    ProviderCall.authorityOf(uri),
                    AndroidTables.UPDATE.isFirst(self, in, AndroidTables.UPDATE_BUNDLE));
        }
    }

    /** Called at the start of {@code ContentProvider.delete}. */
    public static void delete(Object self, Uri uri, Bundle extras, Class<?> in) {
        if (is(self)) {
            called(self, ProviderCall.authorityOf(uri), AndroidTables.DELETE_BUNDLE.isFirst(self, in));
        }
    }

    /** Called at the start of {@code ContentProvider.delete}. */
    public static void delete(Object self, Uri uri, String where, String[] arguments, Class<?> in) {
        if (is(self)) {
            called(
                    self,
                    ProviderCall.authorityOf(uri),
                    AndroidTables.DELETE.isFirst(self, in, AndroidTables.DELETE_BUNDLE));
        }
    }

    /** Called at the start of {@code ContentProvider.call}. */
    public static void call(Object self, String authority, String method, String argument, Bundle extras, Class<?> in) {
        if (is(self)) {
            called(self, authority, AndroidTables.CALL_AUTHORITY.isFirst(self, in));
        }
    }

    /** Called at the start of {@code ContentProvider.call}. */
    public static void call(Object self, String method, String argument, Bundle extras, Class<?> in) {
        if (is(self)) {
            called(self, null, AndroidTables.CALL.isFirst(self, in, AndroidTables.CALL_AUTHORITY));
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
            Hook.communication(Hook.now(), token, Kind.PROVIDER, 0, module, "", authority == null ? "" : authority);
        }
    }
}

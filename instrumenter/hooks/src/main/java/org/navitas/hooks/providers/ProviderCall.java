package org.navitas.hooks.providers;

import android.net.Uri;
import org.navitas.hooks.base.Kind;
import org.navitas.hooks.intents.Tokens;
import org.navitas.runtime.Hook;

/**
 * A call of a content provider. A provider in the same process runs on the calling thread, during the call: so it can
 * take the call's token there. Calls of other processes have no token.
 */
final class ProviderCall {

    private final ProviderCall outer;
    private final long start;
    private long token;
    /** The class of the provider that has taken the token. */
    private String taker;

    private ProviderCall(ProviderCall outer, long start) {
        this.outer = outer;
        this.start = start;
    }

    /** Begins a call; returns null if nothing is recorded. */
    static ProviderCall begin() {
        if (!Hook.records()) {
            return null;
        }
        ProviderCall call = new ProviderCall(ProviderTables.get().call.get(), Hook.now());
        call.token = Tokens.fresh();
        ProviderTables.get().call.set(call);
        return call;
    }

    /** Ends a call, and records it. One that throws is recorded, too, if the provider has taken it. */
    static void end(ProviderCall call, String authority) {
        if (call != null) {
            if (call.outer == null) {
                ProviderTables.get().call.remove();
            } else {
                ProviderTables.get().call.set(call.outer);
            }
            boolean taken = call.taker != null;
            Hook.communication(
                    call.start,
                    taken ? call.token : 0,
                    (taken ? 0 : Kind.LEAVES) << 16 | Kind.PROVIDER_CALL,
                    0,
                    "",
                    taken ? call.taker : "",
                    authority == null ? "" : authority);
        }
    }

    /** Returns the token of the call that runs on this thread, once; 0 if there is none. */
    static long take(String provider) {
        ProviderCall call = ProviderTables.get().call.get();
        if (call == null || call.taker != null) {
            return 0;
        }
        call.taker = provider;
        return call.token;
    }

    /** Returns the authority of an address; null if there is none. */
    static String authorityOf(Uri uri) {
        return uri == null ? null : uri.getAuthority();
    }
}

package org.navitas.hooks.network;

import org.navitas.hooks.base.WeakTable;
import org.navitas.runtime.Hook;

/** What hooks of the network remember. See {@link org.navitas.hooks.Tables}. */
public final class NetworkTables {
    /** Whether connected channels stay on the device. Their address needs a lock, and one kind of them has none. */
    final WeakTable<Boolean> channels = new WeakTable<>();

    static NetworkTables get() {
        return Hook.isStarted() ? Made.TABLES : new NetworkTables();
    }

    /** The tables of the process, as a constant. */
    public static final class Made {
        public static final NetworkTables TABLES = new NetworkTables();

        private Made() {}
    }
}

package org.navitas.hooks.providers;

import org.navitas.runtime.Hook;

/** What hooks of content providers remember. See {@link org.navitas.hooks.Tables}. */
public final class ProviderTables {
    final ThreadLocal<ProviderCall> call = new ThreadLocal<>();

    static ProviderTables get() {
        return Hook.isStarted() ? Made.TABLES : new ProviderTables();
    }

    /** The tables of the process, as a constant. */
    public static final class Made {
        public static final ProviderTables TABLES = new ProviderTables();

        private Made() {}
    }
}

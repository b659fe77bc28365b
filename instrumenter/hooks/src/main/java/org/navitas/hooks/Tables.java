package org.navitas.hooks;

import org.navitas.hooks.devices.DeviceTables;
import org.navitas.hooks.intents.IntentTables;
import org.navitas.hooks.network.NetworkTables;
import org.navitas.hooks.providers.ProviderTables;
import org.navitas.hooks.threads.ThreadTables;
import org.navitas.hooks.work.WorkTables;

/**
 * What hooks remember in a process. They have no static tables of their own: an error in a class's initializer would make
 * each later call of the class throw in the app. The runtime makes these tables when it starts: it initializes this class
 * by its name. If it cannot, it records nothing, and each hook gets empty tables, with which it does what the API does.
 */
final class Tables {
    static final Object[] OF_THE_PROCESS = {
        DeviceTables.Made.TABLES,
        IntentTables.Made.TABLES,
        NetworkTables.Made.TABLES,
        ProviderTables.Made.TABLES,
        ThreadTables.Made.TABLES,
        WorkTables.Made.TABLES,
    };

    private Tables() {}
}

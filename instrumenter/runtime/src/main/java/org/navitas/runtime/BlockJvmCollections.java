package org.navitas.runtime;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/** The collections of all collectors of a JVM. */
@JvmOnly
final class BlockJvmCollections extends BlockCollections {
    @Override
    long count() {
        long sum = 0;
        for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
            sum += Math.max(0, each.getCollectionCount());
        }
        return sum;
    }
}

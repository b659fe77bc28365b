package org.navitas.hooks.base;

import java.util.LinkedHashMap;
import java.util.Map;

/** A map that forgets the entry used least recently when it has too many. Callers synchronize on it. */
public final class LatestUsed<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;
    private final int most;

    public LatestUsed(int most) {
        super(16, 0.75f, true);
        this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
    }
}

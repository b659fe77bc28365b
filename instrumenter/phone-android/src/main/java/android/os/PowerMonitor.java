package android.os;

/** Android 15's class, which Android 13's framework lacks: a power rail or an energy consumer of the phone. */
public final class PowerMonitor {
    /** The type of an energy consumer, which the phone computes from rails. */
    public static final int POWER_MONITOR_TYPE_CONSUMER = 0;
    /** The type of a power rail. */
    public static final int POWER_MONITOR_TYPE_MEASUREMENT = 1;

    private final int type;
    private final String name;

    /**
     * Creates a monitor.
     *
     * @param type {@link #POWER_MONITOR_TYPE_CONSUMER} or {@link #POWER_MONITOR_TYPE_MEASUREMENT}
     * @param name the phone's name of the rail or consumer
     */
    public PowerMonitor(int type, String name) {
        this.type = type;
        this.name = name;
    }

    /**
     * Returns the type.
     *
     * @return {@link #POWER_MONITOR_TYPE_CONSUMER} or {@link #POWER_MONITOR_TYPE_MEASUREMENT}
     */
    public int getType() {
        return type;
    }

    /**
     * Returns the name.
     *
     * @return the phone's name of the rail or consumer
     */
    public String getName() {
        return name;
    }
}

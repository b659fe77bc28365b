package org.navitas.phone.android.shared;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import org.robolectric.internal.bytecode.Interceptor;
import org.robolectric.internal.bytecode.MethodRef;
import org.robolectric.internal.bytecode.MethodSignature;
import org.robolectric.util.Function;

/**
 * The framework uses the machine's clocks; Robolectric's stand still until a test moves them. WorkManager plans jobs by the
 * wall time, so for it, the time that the clock of alarms has skipped is over.
 */
public final class RealTime extends Interceptor {
    /** WorkManager's classes that decide whether work is due, and when. The first one is that of versions since 2.9. */
    public static final List<String> PLANNERS = List.of(
            "androidx.work.SystemClock",
            "androidx.work.WorkRequest$Builder",
            "androidx.work.impl.Schedulers",
            "androidx.work.impl.WorkerWrapper",
            "androidx.work.impl.background.greedy.DelayedWorkTracker",
            "androidx.work.impl.background.greedy.GreedyScheduler",
            "androidx.work.impl.background.systemjob.SystemJobInfoConverter",
            "androidx.work.impl.model.WorkSpec",
            "androidx.work.impl.utils.EnqueueRunnable");

    private static final StackWalker CALLERS = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    private static volatile long skippedMs;

    /** Called by Robolectric, which creates its own instance. */
    public RealTime() {
        super(new MethodRef(System.class, "nanoTime"), new MethodRef(System.class, "currentTimeMillis"));
    }

    /**
     * Sets how far the clock of alarms is ahead of the other clocks.
     *
     * @param ms milliseconds
     */
    public static void setSkipped(long ms) {
        skippedMs = ms;
    }

    /**
     * In place of the method of {@link System}, in classes that Robolectric instruments.
     *
     * @return the wall time, for WorkManager with what was skipped
     */
    public static long currentTimeMillis() {
        long nowMs = System.currentTimeMillis();
        long aheadMs = skippedMs;
        return aheadMs == 0 || !PLANNERS.contains(CALLERS.getCallerClass().getName()) ? nowMs : nowMs + aheadMs;
    }

    @Override
    public Function<Object, Object> handle(MethodSignature signature) {
        boolean isNanos = signature.methodName.equals("nanoTime");
        return (type, value, parameters) -> isNanos ? System.nanoTime() : System.currentTimeMillis();
    }

    @Override
    public MethodHandle getMethodHandle(String name, MethodType type)
            throws NoSuchMethodException, IllegalAccessException {
        Class<?> owner = name.equals("currentTimeMillis") ? RealTime.class : System.class;
        return MethodHandles.lookup().findStatic(owner, name, MethodType.methodType(long.class));
    }
}

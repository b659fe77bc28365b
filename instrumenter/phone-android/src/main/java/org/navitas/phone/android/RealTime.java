package org.navitas.phone.android;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.robolectric.internal.bytecode.Interceptor;
import org.robolectric.internal.bytecode.MethodRef;
import org.robolectric.internal.bytecode.MethodSignature;
import org.robolectric.util.Function;

/** The framework uses the machine's clocks; Robolectric's stand still until a test moves them. */
public final class RealTime extends Interceptor {
    /** Called by Robolectric, which creates its own instance. */
    public RealTime() {
        super(new MethodRef(System.class, "nanoTime"), new MethodRef(System.class, "currentTimeMillis"));
    }

    @Override
    public Function<Object, Object> handle(MethodSignature signature) {
        boolean isNanos = signature.methodName.equals("nanoTime");
        return (type, value, parameters) -> isNanos ? System.nanoTime() : System.currentTimeMillis();
    }

    @Override
    public MethodHandle getMethodHandle(String name, MethodType type) throws NoSuchMethodException, IllegalAccessException {
        return MethodHandles.lookup().findStatic(System.class, name, MethodType.methodType(long.class));
    }
}

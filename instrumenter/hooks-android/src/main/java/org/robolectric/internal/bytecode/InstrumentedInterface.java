package org.robolectric.internal.bytecode;

/** For the compiler only, as {@link ShadowedObject}: interfaces of the framework extend this one. */
public interface InstrumentedInterface {}

package org.robolectric.internal.bytecode;

/**
 * For the compiler only: classes of the framework that Robolectric has modified implement this interface. It is empty
 * here, so that subclasses compile as on Android. The jar does not contain it.
 */
public interface ShadowedObject {}

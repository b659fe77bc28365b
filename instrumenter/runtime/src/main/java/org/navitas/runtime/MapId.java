package org.navitas.runtime;

/** Implemented by the class that instrumentation adds to an Android app. */
public interface MapId {
    /** The id of the method map that the app's classes were instrumented with, 16 hex digits. */
    String id();
}

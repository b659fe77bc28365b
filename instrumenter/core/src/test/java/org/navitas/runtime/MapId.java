package org.navitas.runtime;

/** Stands in for the runtime's. */
public interface MapId {
  String id();
}

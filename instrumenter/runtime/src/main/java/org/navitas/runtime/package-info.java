/**
 * What runs inside the profiled app: probes write events and anchors into buffers of the app's own threads, a background
 * thread writes them out as chunks, a sampler reads counters. No dependencies, Java 8 bytecode, Android API 21 classes
 * (those marked {@link org.navitas.runtime.JvmOnly} are loaded on a JVM alone).
 *
 * <p>The formats are in {@code docs/formats.md}.
 */
package org.navitas.runtime;

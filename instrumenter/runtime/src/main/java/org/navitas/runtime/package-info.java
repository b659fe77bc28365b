/**
 * The code that runs inside the profiled app. Probes write events and anchors to buffers of the app's threads. A
 * background thread writes them out as chunks. A sampler reads counters. No dependencies, Java 8 bytecode, Android API
 * 21 classes. A JVM alone loads the classes marked {@link org.navitas.runtime.JvmOnly}.
 *
 * <p>{@code docs/dev/formats.md} describes the formats.
 */
package org.navitas.runtime;

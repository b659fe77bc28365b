/**
 * Starts Android's framework (Robolectric's) in an app's JVM. The package {@code org.navitas.android} runs inside it.
 */
package org.navitas.phone.android;

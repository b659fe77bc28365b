/** Starts Android's framework (Robolectric's) in an app's JVM; what runs inside it is in {@code org.navitas.android}. */
package org.navitas.phone.android;

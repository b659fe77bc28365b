/**
 * The virtual phone's side inside an app's JVM: Android's log, and {@code am instrument}'s runner of JUnit tests. JUnit is the
 * user's own: 4, or the JUnit Platform with its engines. Classes of the one are never loaded for the other.
 */
package org.navitas.phone;

/**
 * The virtual phone's code in an app's JVM: Android's log, and {@code am instrument}'s runner of JUnit tests. JUnit is
 * the user's: JUnit 4, or the JUnit Platform with its engines. Classes of one are never loaded for the other.
 */
package org.navitas.phone;

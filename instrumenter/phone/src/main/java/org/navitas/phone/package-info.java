/**
 * The virtual phone's side inside an app's JVM: Android's log, and {@code am instrument}'s runner of JUnit 4 tests. JUnit is
 * the user's own.
 */
package org.navitas.phone;

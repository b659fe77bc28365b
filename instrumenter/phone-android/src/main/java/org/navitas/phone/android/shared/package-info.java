/** What code inside Android's framework and code outside it both use. The JVM's class loader loads it once. */
package org.navitas.phone.android.shared;

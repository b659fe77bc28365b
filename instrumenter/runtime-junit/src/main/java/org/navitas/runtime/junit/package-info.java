/** Listeners of test frameworks; they go onto the class path of tests alone. */
package org.navitas.runtime.junit;

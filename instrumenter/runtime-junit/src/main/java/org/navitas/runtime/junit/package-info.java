/** Listeners of test frameworks, on the class path of tests only. */
package org.navitas.runtime.junit;

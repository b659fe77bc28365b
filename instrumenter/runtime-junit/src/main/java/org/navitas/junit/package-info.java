/** Shared code for listeners of test frameworks: test names, and JUnit Platform events as a sequence of tests. */
package org.navitas.junit;

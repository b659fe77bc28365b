/** What listeners of test frameworks share: the names of tests, and the JUnit Platform's events in terms of tests. */
package org.navitas.junit;

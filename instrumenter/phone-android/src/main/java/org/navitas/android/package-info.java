/** Code that the virtual phone runs inside Android's framework, where Robolectric differs from a phone. */
package org.navitas.android;

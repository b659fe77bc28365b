/** What the virtual phone runs inside Android's framework, where Robolectric's own ways differ from a phone's. */
package org.navitas.android;

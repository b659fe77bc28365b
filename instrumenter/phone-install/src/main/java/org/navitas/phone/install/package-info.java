/** What the virtual phone asks of Java when it installs an APK. */
package org.navitas.phone.install;

/** Java programs that the virtual phone runs to install an APK. */
package org.navitas.phone.install;

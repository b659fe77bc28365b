package org.navitas.android;

import org.robolectric.annotation.Implements;

/** Stops an intent service after its last intent. Robolectric's own shadow cannot stand in for {@link ServiceShadow}. */
@Implements(className = "android.app.IntentService")
public class IntentServiceShadow extends ServiceShadow {}

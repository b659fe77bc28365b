package org.navitas.android;

import android.media.AudioTrack;
import org.navitas.phone.ComponentUse;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowAudioTrack;

/** A playing track uses audio. */
@Implements(className = "android.media.AudioTrack")
public class AudioTrackShadow extends ShadowAudioTrack {
    private static final String AUDIO = "audio";

    @RealObject
    private AudioTrack track;

    @Implementation
    protected void native_start() {
        ComponentUse.start(AUDIO, track, "track", 0);
    }

    @Implementation
    protected void native_pause() {
        ComponentUse.stop(AUDIO, track);
    }

    @Implementation
    protected void native_stop() {
        ComponentUse.stop(AUDIO, track);
    }
}

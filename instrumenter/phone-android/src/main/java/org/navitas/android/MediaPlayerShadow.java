package org.navitas.android;

import android.media.MediaPlayer;
import android.view.Surface;
import org.navitas.phone.ComponentUse;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowMediaPlayer;

/** A playing player uses audio, and video if it has a surface. */
@Implements(className = "android.media.MediaPlayer")
public class MediaPlayerShadow extends ShadowMediaPlayer {
    private static final String AUDIO = "audio";
    private static final String VIDEO = "video";

    @RealObject private MediaPlayer player;
    private boolean hasSurface;

    @Implementation
    protected void _setVideoSurface(Surface surface) {
        hasSurface = surface != null;
    }

    @Override
    public void doStart() {
        super.doStart();
        ComponentUse.start(AUDIO, player, "player", 0);
        if (hasSurface) {
            ComponentUse.start(VIDEO, player, "player", 0);
        }
    }

    @Override
    public void doStop() {
        super.doStop();
        ComponentUse.stop(AUDIO, player);
        ComponentUse.stop(VIDEO, player);
    }
}

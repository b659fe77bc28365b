package org.navitas.android;

import android.media.MediaPlayer;
import android.view.Surface;
import org.navitas.phone.ComponentUse;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowMediaPlayer;

/** A playing player uses audio, and video if it has a surface. It decodes nothing: any source plays for 10 s. */
@Implements(className = "android.media.MediaPlayer")
public class MediaPlayerShadow extends ShadowMediaPlayer {
    private static final String AUDIO = "audio";
    private static final String VIDEO = "video";
    private static final int LENGTH_MS = 10_000;
    private static final int WIDTH = 1280;
    private static final int HEIGHT = 720;

    @RealObject
    private MediaPlayer player;

    private boolean hasSurface;

    /** Lets players open any source. Sources that a test describes by itself keep what it says. */
    static void install() {
        setMediaInfoProvider(source -> new MediaInfo(LENGTH_MS, 0));
    }

    @Implementation
    protected void _setVideoSurface(Surface surface) {
        hasSurface = surface != null;
    }

    @Implementation
    @Override
    protected int getVideoWidth() {
        int width = super.getVideoWidth();
        return width == 0 && hasSurface ? WIDTH : width;
    }

    @Implementation
    @Override
    protected int getVideoHeight() {
        int height = super.getVideoHeight();
        return height == 0 && hasSurface ? HEIGHT : height;
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

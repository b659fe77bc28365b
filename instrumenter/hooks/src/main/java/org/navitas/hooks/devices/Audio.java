package org.navitas.hooks.devices;

import android.media.AudioTrack;
import android.media.MediaPlayer;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** Hooks of playback: audio, and video of a player that shows one, from start to pause, stop, release or the end. */
public final class Audio {
    private static final String NO_END = "";

    private Audio() {}

    /** Hook of {@link AudioTrack#play}. */
    public static void play(AudioTrack track) {
        long start = Hook.begin(Api.AUDIO);
        long done = Hook.FAILED;
        try {
            track.play();
            done = 0;
            if (Hook.now() != 0) {
                DeviceTables.get().playing.put(track, NO_END);
            }
        } finally {
            Hook.end(Api.AUDIO, start, Hook.AUDIO, 0, done, System.identityHashCode(track));
        }
    }

    /** Hook of {@link AudioTrack#pause()}. */
    public static void pause(AudioTrack track) {
        long start = Hook.begin(Api.AUDIO_STOP);
        long done = Hook.FAILED;
        try {
            track.pause();
            done = 0;
        } finally {
            stopped(Api.AUDIO_STOP, start, done, track);
        }
    }

    /** Hook of {@link AudioTrack#stop()}. */
    public static void stop(AudioTrack track) {
        long start = Hook.begin(Api.AUDIO_STOP);
        long done = Hook.FAILED;
        try {
            track.stop();
            done = 0;
        } finally {
            stopped(Api.AUDIO_STOP, start, done, track);
        }
    }

    /** Hook of {@link AudioTrack#release()}. */
    public static void release(AudioTrack track) {
        long start = Hook.begin(Api.AUDIO_STOP);
        long done = Hook.FAILED;
        try {
            track.release();
            done = 0;
        } finally {
            stopped(Api.AUDIO_STOP, start, done, track);
        }
    }

    /** Hook of {@link MediaPlayer#start}. */
    public static void start(MediaPlayer player) {
        long start = Hook.begin(Api.MEDIA);
        long done = Hook.FAILED;
        try {
            player.start();
            done = 0;
            if (Hook.now() != 0) {
                started(start, player);
            }
        } finally {
            Hook.end(Api.MEDIA, start, Hook.AUDIO, 0, done, System.identityHashCode(player));
        }
    }

    /** Hook of {@link MediaPlayer#pause()}. */
    public static void pause(MediaPlayer player) {
        long start = Hook.begin(Api.MEDIA_STOP);
        long done = Hook.FAILED;
        try {
            player.pause();
            done = 0;
        } finally {
            stopped(Api.MEDIA_STOP, start, done, player);
        }
    }

    /** Hook of {@link MediaPlayer#stop()}. */
    public static void stop(MediaPlayer player) {
        long start = Hook.begin(Api.MEDIA_STOP);
        long done = Hook.FAILED;
        try {
            player.stop();
            done = 0;
        } finally {
            stopped(Api.MEDIA_STOP, start, done, player);
        }
    }

    /** Hook of {@link MediaPlayer#release()}. */
    public static void release(MediaPlayer player) {
        long start = Hook.begin(Api.MEDIA_STOP);
        long done = Hook.FAILED;
        try {
            player.release();
            done = 0;
        } finally {
            stopped(Api.MEDIA_STOP, start, done, player);
        }
    }

    /** Hook of {@link MediaPlayer#reset()}. */
    public static void reset(MediaPlayer player) {
        long start = Hook.begin(Api.MEDIA_STOP);
        long done = Hook.FAILED;
        try {
            player.reset();
            done = 0;
        } finally {
            stopped(Api.MEDIA_STOP, start, done, player);
        }
    }

    private static void started(long start, MediaPlayer player) {
        PlaybackEnd end = new PlaybackEnd(player, player.getVideoWidth() > 0);
        if (end.hasVideo) {
            Hook.also(start, Hook.VIDEO, 0, 0, System.identityHashCode(player));
        }
        Object former = DeviceTables.get().playing.put(player, end);
        if (former instanceof Timeout) {
            ((Timeout) former).cancel();
        }
        end.await(player);
    }

    private static void stopped(int api, long start, long done, Object player) {
        Object end = done == Hook.FAILED ? null : DeviceTables.get().playing.remove(player);
        if (end == null && done != Hook.FAILED) {
            Hook.leave(api); // stopped before
            return;
        }
        if (end instanceof Timeout) {
            ((Timeout) end).cancel();
        }
        if (end instanceof PlaybackEnd && ((PlaybackEnd) end).hasVideo) {
            Hook.also(start, Hook.VIDEO, Hook.STOP, 0, System.identityHashCode(player));
        }
        Hook.end(api, start, Hook.AUDIO, Hook.STOP, done, System.identityHashCode(player));
    }

    /** Notes that a player has reached its end. */
    private static final class PlaybackEnd extends Timeout {
        final boolean hasVideo;

        PlaybackEnd(MediaPlayer player, boolean hasVideo) {
            super(player);
            this.hasVideo = hasVideo;
        }

        /** Checks the player when its end is due; never if it has none. */
        void await(MediaPlayer player) {
            try {
                int leftMs = player.isLooping() ? 0 : player.getDuration() - player.getCurrentPosition();
                if (leftMs > 0) {
                    after(leftMs);
                }
            } catch (IllegalStateException e) {
                // It failed meanwhile.
            }
        }

        @Override
        void check(Object object) {
            MediaPlayer player = (MediaPlayer) object;
            if (isPlaying(player)) {
                await(player);
            } else {
                stopped(Api.MEDIA_STOP, Hook.begin(Api.MEDIA_STOP), 0, player);
            }
        }

        private static boolean isPlaying(MediaPlayer player) {
            try {
                return player.isPlaying();
            } catch (IllegalStateException e) {
                return false;
            }
        }
    }
}

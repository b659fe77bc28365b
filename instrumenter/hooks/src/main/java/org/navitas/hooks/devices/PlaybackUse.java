package org.navitas.hooks.devices;

import android.media.AudioTrack;
import android.media.MediaPlayer;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** Playback: audio, and video of a player that shows one, from start to pause, stop, release or the end. */
final class PlaybackUse {
    private static final String NO_END = "";

    private PlaybackUse() {}

    static void started(AudioTrack track) {
        if (Hook.now() != 0) {
            DeviceTables.get().playing.put(track, NO_END);
        }
    }

    static void started(long start, MediaPlayer player) {
        if (Hook.now() == 0) {
            return;
        }
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

    static void stopped(int api, long start, long done, Object player) {
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

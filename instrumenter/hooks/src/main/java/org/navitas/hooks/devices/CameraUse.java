package org.navitas.hooks.devices;

import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** Cameras: used from their opening, by the call that asks for it, to their closing. */
final class CameraUse {
    private CameraUse() {}

    /** Ends a call that returns an open camera. */
    static void opened(long start, long done, Object camera) {
        long handle = System.identityHashCode(camera);
        if (camera != null) {
            put(camera, handle);
        }
        end(Api.CAMERA, start, 0, done, handle);
    }

    /** Ends a call; without a record if there is no handle. */
    static void end(int api, long start, int flags, long done, long handle) {
        if (handle == 0 && done != Hook.FAILED) {
            Hook.leave(api);
        } else {
            Hook.end(api, start, Hook.CAMERA, flags, done, handle);
        }
    }

    /** Notes the handle of an open camera. */
    static void put(Object camera, long handle) {
        if (Hook.now() != 0) {
            DeviceTables.get().cameras.put(camera, handle);
        }
    }

    /** Returns the handle of a camera that is closed, 0 if it was closed before or hooked code did not open it. */
    static long remove(Object camera) {
        Long handle = camera == null ? null : DeviceTables.get().cameras.remove(camera);
        return handle == null ? 0 : handle;
    }

    /** Returns the handle of a camera's flashlight. */
    static long flashlight(String camera) {
        return camera == null ? 0 : camera.hashCode();
    }
}

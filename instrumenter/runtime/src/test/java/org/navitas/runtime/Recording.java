package org.navitas.runtime;

import java.util.Properties;

/** A recorder with fake clocks, whose writer runs only when the test requests it. */
final class Recording {
    final FakePlatform platform = new FakePlatform();
    final MemorySink sink = new MemorySink();
    final Recorder recorder;

    Recording(int buffers, String... settings) {
        Properties values = new Properties();
        values.setProperty("out", "unused");
        for (int i = 0; i < settings.length; i += 2) {
            values.setProperty(settings[i], settings[i + 1]);
        }
        recorder =
                new Recorder(platform, new Settings("/", values), new ChunkWriter(sink, 0x0123456789abcdefL), buffers);
    }

    void enter(long time, int method) {
        platform.now = time;
        if (recorder.ticker == null) {
            recorder.current().enter(method, platform);
        } else {
            recorder.current().tickedEnter(method, recorder.ticker.time);
        }
    }

    void resume(long time, int method) {
        platform.now = time;
        recorder.current().resume(method);
    }

    void exit(long time, int method) {
        leave(time, method, Format.EXIT);
    }

    void thrown(long time, int method) {
        leave(time, method, Format.THROW);
    }

    private void leave(long time, int method, long kind) {
        platform.now = time;
        if (recorder.ticker == null) {
            recorder.current().exit(method, kind, platform);
        } else {
            recorder.current().tickedExit(method, kind, recorder.ticker.time);
        }
    }

    void write() {
        recorder.writer.stop();
        recorder.writer.run();
    }

    /** Returns everything written, including everything recorded so far. */
    byte[] written() {
        write();
        return sink.bytes();
    }

    /** Returns the number of buffers that a pool has created. */
    static int made(BufferPool pool) {
        return Math.min(pool.made.get(), pool.all.length());
    }
}

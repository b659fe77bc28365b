package org.navitas.runtime;

/**
 * Records of one chunk type, of the process or of one thread. Any thread appends; the writer drains. If the writer is
 * too slow, further records are counted as lost, so memory is bounded.
 */
class RecordLog {
    private final int type;
    /** Bytes that can wait for the writer. */
    private final int limit;
    /** The next four are guarded by this. */
    Bytes records = new Bytes();

    private Bytes spare = new Bytes();
    int count;
    int lost;
    private int chunks;

    RecordLog(int type) {
        this(type, Limits.RECORD_BYTES);
    }

    RecordLog(int type, int limit) {
        this.type = type;
        this.limit = limit;
    }

    synchronized void counter(long start, long end, int source, byte[] data, int length) {
        if (room()) {
            records.i64(start).i64(end).u16(source).u32(length).bytes(data, 0, length);
        }
    }

    synchronized void marker(long time, int kind, int status, int repeat, String test) {
        if (room()) {
            records.i64(time).u8(kind).u8(status).u16(repeat).text(test);
        }
    }

    synchronized void triple(long monotonic, long boottime, long realtime) {
        if (room()) {
            records.i64(monotonic).i64(boottime).i64(realtime);
        }
    }

    synchronized void mount(long time, long cpu, long serial) {
        if (room()) {
            records.i64(time).i64(cpu).i64(serial);
        }
    }

    synchronized void communication(
            long time,
            long token,
            int kindAndFlags,
            long periodMs,
            int node,
            String module,
            String target,
            String action) {
        if (room()) {
            records.i64(time)
                    .i64(token)
                    .u32(kindAndFlags)
                    .i64(periodMs)
                    .u32(node)
                    .text(module)
                    .text(target)
                    .text(action);
        }
    }

    /** Adds what threads have counted since the last time. Logs of single records have nothing to add. */
    void publish() {}

    private boolean room() {
        if (records.size() > limit) {
            lost++;
            return false;
        }
        count++;
        return true;
    }

    /** Called by the writer only; {@code owner} is the thread whose records these are, or null. */
    void drain(ThreadRecorder owner, ChunkWriter out) {
        Bytes full;
        int records;
        int missing;
        synchronized (this) {
            if (count == 0 && lost == 0) {
                return;
            }
            full = this.records;
            records = count;
            missing = lost;
            this.records = spare;
            spare = full;
            count = 0;
            lost = 0;
        }
        out.records(owner, type, chunks++, missing, records, full);
        full.cut(0);
    }
}

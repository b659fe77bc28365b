package org.navitas.runtime;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Run time, wait time and time slices of each thread of the process: one line {@code tid run_ns wait_ns slices comm}
 * for each thread whose values have changed since the last reading.
 */
final class ThreadsSource extends FileSource {
    private final Map<String, FileSource> known = new HashMap<>();
    private final Bytes text = new Bytes();

    /** {@code tasks} is the folder {@code task} of the process. */
    ThreadsSource(int id, File tasks) {
        super(id, tasks);
    }

    @Override
    void read(Bytes into) throws IOException {
        String[] tids = path.list();
        if (tids == null) {
            throw new IOException("cannot list " + path);
        }
        Set<String> alive = new HashSet<>(Arrays.asList(tids));
        for (String tid : known.keySet().toArray(new String[0])) {
            if (!alive.contains(tid)) {
                end(tid);
            }
        }
        for (String tid : tids) {
            try {
                read(tid, into);
            } catch (IOException e) {
                end(tid);
            }
        }
    }

    private void end(String tid) {
        FileSource ended = known.remove(tid);
        if (ended != null) {
            ended.close();
        }
    }

    private void read(String tid, Bytes into) throws IOException {
        FileSource task = known.get(tid);
        if (task == null) {
            task = new FileSource(id, new File(path, tid + "/schedstat"));
            known.put(tid, task);
        }
        text.cut(0);
        task.read(text);
        if (known.size() > Limits.MOST_OPEN) {
            task.close();
        }
        byte[] now = Arrays.copyOf(text.array(), text.size());
        if (Arrays.equals(now, task.last)) {
            return;
        }
        task.last = now;
        if (task.changes < 2 || task.changes % Limits.NAME_EVERY == 0) {
            task.name = FileSource.content(new File(path, tid + "/comm"));
        }
        task.changes++;
        into.utf8(tid + " ").bytes(now, 0, lineLength(now, now.length)).u8(' ');
        into.bytes(task.name.array(), 0, lineLength(task.name.array(), task.name.size()))
                .u8('\n');
    }

    /** Returns the length without trailing white space. */
    private static int lineLength(byte[] line, int size) {
        int length = size;
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == ' ')) {
            length--;
        }
        return length;
    }
}

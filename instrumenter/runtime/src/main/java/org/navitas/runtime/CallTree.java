package org.navitas.runtime;

import java.util.Arrays;

/**
 * One thread's folded calls: a calling-context tree whose nodes hold self time, calls and throws since the epoch's start.
 * An epoch's end publishes the nodes touched in it and sets them to zero.
 *
 * <p>A published epoch is {@code start, end, rows} and then four words a row: {@code node | parent << 32},
 * {@code method | calls << 32}, {@code throws}, {@code self}.
 *
 * <p>The number of nodes is bounded. Where it is reached a new callee's calls are part of their caller (their time is its
 * self time) and count as lost events; energy stays conserved. The next outermost call finds an empty tree.
 */
final class CallTree {
    static final int HEAD_WORDS = 3;
    static final int ROW_WORDS = 4;
    private static final int USUAL_BUFFER = 2048;
    /** Index of the node above the outermost calls; in published rows it is parent -1. */
    private static final int ROOT = 0;

    private final Track track;
    private int limit;

    private int[] method;
    private int[] parent;
    private int[] firstChild;
    private int[] nextSibling;
    private int[] calls;
    private int[] thrown;
    private long[] self;
    private boolean[] isTouched;
    private int[] touched;
    private int nodes = 1;
    /** The published number of a node is its index and this. */
    private int numbered = -1;
    private int touchedNodes;

    private int current = ROOT;
    /** Open calls that are part of {@link #current}, the bound being reached. */
    private int hidden;
    private long last;
    private long epochStart;

    CallTree(Track track, int limit) {
        this.track = track;
        this.limit = limit;
        int size = Math.min(limit, 16);
        method = new int[size];
        parent = new int[size];
        firstChild = new int[size];
        nextSibling = new int[size];
        calls = new int[size];
        thrown = new int[size];
        self = new long[size];
        isTouched = new boolean[size];
        touched = new int[size];
        isTouched[ROOT] = true; // so that it is never listed
    }

    /** No call is open until now: the time since the last exit is nobody's. */
    void resume(long now) {
        current = ROOT;
        hidden = 0;
        last = now;
        if (touchedNodes == 0) {
            epochStart = now;
            if (nodes == limit) {
                firstChild[ROOT] = ROOT; // a full tree makes way for a new one, whose nodes have new numbers
                numbered += nodes;
                nodes = 1;
            }
        }
    }

    /** A call that was open when folding began: a node without a call. */
    void reopen(int id) {
        int child = hidden == 0 ? child(id) : ROOT;
        if (child == ROOT) {
            hide(1);
        } else {
            current = child;
            touch(child);
        }
    }

    /** So many open calls inside of the current one are part of it. */
    void hide(int calls) {
        hidden += calls;
    }

    void enter(int id, long now) {
        advance(now);
        int child = hidden == 0 ? child(id) : ROOT;
        if (child == ROOT) {
            hidden++;
            track.lose(1);
        } else {
            current = child;
            touch(child);
            calls[child]++;
        }
    }

    /** What was just entered is no call of its own but continues one. */
    void uncount() {
        if (hidden == 0) {
            calls[current]--;
        }
    }

    /** Returns how many open calls this exit closes: 1; more when inner exits were missed; 0 when no such call is open. */
    int exit(int id, boolean byThrow, long now) {
        advance(now);
        int node = current;
        if (hidden == 0 && method[node] == id && node != ROOT) {
            if (byThrow) {
                thrown[node]++;
            }
            current = parent[node];
            touch(current);
            return 1;
        }
        return unusualExit(id, byThrow);
    }

    private int unusualExit(int id, boolean byThrow) {
        if (hidden > 0) {
            hidden--;
            track.lose(1);
            return 1;
        }
        int node = current;
        int closed = 1;
        while (node != ROOT && method[node] != id) {
            node = parent[node];
            closed++;
        }
        if (node == ROOT) {
            track.lose(1);
            return 0;
        }
        for (int inner = current; inner != node; inner = parent[inner]) {
            touch(inner);
            thrown[inner]++;
        }
        if (byThrow) {
            touch(node);
            thrown[node]++;
        }
        current = parent[node];
        touch(current);
        return closed;
    }

    /** Time up to now belongs to the innermost open call, which is listed as touched since it became that. */
    void advance(long now) {
        self[current] += now - last;
        last = now;
    }

    /** When something was last recorded. */
    long last() {
        return last;
    }

    /** Publishes the epoch and begins the next; false (and no change) when no buffer is free. */
    boolean endEpoch(long now) {
        if (touchedNodes > 0) {
            int need = HEAD_WORDS + ROW_WORDS * touchedNodes;
            Buffer buffer = track.head();
            if (buffer.get() + need > buffer.words.length) {
                int growth = Math.min(USUAL_BUFFER, 2 * buffer.words.length);
                buffer = track.roll(0, Math.max(need, growth));
                if (buffer == null) {
                    return false;
                }
            }
            publish(buffer, now);
        }
        epochStart = now;
        return true;
    }

    private void publish(Buffer buffer, long now) {
        long[] words = buffer.words;
        int at = buffer.get();
        words[at++] = epochStart;
        words[at++] = now;
        words[at++] = touchedNodes;
        for (int i = 0; i < touchedNodes; i++) {
            int node = touched[i];
            int above = parent[node] == ROOT ? -1 : numbered + parent[node];
            words[at++] = numbered + node | (long) above << 32;
            words[at++] = method[node] | (long) calls[node] << 32;
            words[at++] = thrown[node];
            words[at++] = self[node];
            calls[node] = 0;
            thrown[node] = 0;
            self[node] = 0;
            isTouched[node] = false;
        }
        touchedNodes = 0;
        touch(current); // its time goes on
        buffer.lazySet(at);
    }

    private void touch(int node) {
        if (!isTouched[node]) {
            isTouched[node] = true;
            touched[touchedNodes++] = node;
        }
    }

    /** The current node's child, moved to the front of its siblings; made when missing; ROOT when there is no room. */
    private int child(int id) {
        int front = firstChild[current];
        if (front != ROOT && method[front] == id) {
            return front;
        }
        int before = front;
        for (int node = front == ROOT ? ROOT : nextSibling[front]; node != ROOT; node = nextSibling[node]) {
            if (method[node] == id) {
                nextSibling[before] = nextSibling[node];
                nextSibling[node] = front;
                firstChild[current] = node;
                return node;
            }
            before = node;
        }
        if (nodes == method.length && !grow()) {
            return ROOT;
        }
        int node = nodes++;
        method[node] = id;
        parent[node] = current;
        firstChild[node] = ROOT;
        nextSibling[node] = front;
        firstChild[current] = node;
        return node;
    }

    private boolean grow() {
        if (nodes >= limit) {
            return false;
        }
        int size = Math.min(limit, 2 * nodes);
        try {
            // Every copy before the first assignment: memory that runs out leaves the tree whole.
            int[][] ints = new int[7][];
            int[][] old = {method, parent, firstChild, nextSibling, calls, thrown, touched};
            for (int i = 0; i < ints.length; i++) {
                ints[i] = Arrays.copyOf(old[i], size);
            }
            long[] moreSelf = Arrays.copyOf(self, size);
            isTouched = Arrays.copyOf(isTouched, size);
            self = moreSelf;
            method = ints[0];
            parent = ints[1];
            firstChild = ints[2];
            nextSibling = ints[3];
            calls = ints[4];
            thrown = ints[5];
            touched = ints[6];
            return true;
        } catch (OutOfMemoryError e) {
            limit = nodes;
            return false;
        }
    }
}

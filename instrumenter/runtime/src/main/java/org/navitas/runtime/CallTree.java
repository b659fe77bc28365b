package org.navitas.runtime;

import java.util.Arrays;

/**
 * One thread's folded calls: a calling-context tree whose nodes hold self time, calls and throws since the epoch's start.
 * An epoch's end publishes the nodes touched in it and sets them to zero.
 *
 * <p>A published epoch is {@code start, end, rows} and then four words a row: {@code node | parent << 32},
 * {@code method | calls << 32}, {@code throws}, {@code self}.
 *
 * <p>The number of nodes is bounded. A full tree makes way for a new one ({@link #renew}), whose nodes have new numbers. Where
 * that cannot be, a new callee's calls are part of their caller (their time is its self time) and count as lost events.
 *
 * <p>A node is eight ints in a row of one array, and named by the index of the first: a probe then needs one array, and no
 * reference is stored, which would cost a garbage collector's barrier.
 */
final class CallTree {
    static final int HEAD_WORDS = 3;
    static final int ROW_WORDS = 4;
    private static final int USUAL_BUFFER = 2048;

    private static final int NODE_BITS = 3;
    private static final int NODE_INTS = 1 << NODE_BITS;
    private static final int METHOD = 0;
    private static final int PARENT = 1;
    /** The child entered last. */
    private static final int LATEST = 2;
    /** The next one in the ring of siblings. */
    private static final int SIBLING = 3;
    /** The sibling that was entered after this one. */
    private static final int FOLLOWER = 4;
    private static final int CALLS = 5;
    private static final int THROWN = 6;
    private static final int TOUCHED = 7;

    /** The node above the outermost calls; in published rows it is parent -1. It also stands for no node. */
    private static final int ROOT = 0;

    private final Track track;
    private int limit;

    private int[] nodes = new int[NODE_INTS];
    private long[] self = new long[1];
    private int[] touched = new int[1];
    /** Where the next node will be. */
    private int end = NODE_INTS;
    /** The published number of a node is its ordinal and this. */
    private int numbered = -1;
    private int touchedNodes;

    private int current = ROOT;
    /** Open calls that are part of {@link #current}, the bound being reached. */
    private int hidden;
    private long last;
    private long epochStart;
    /** The node that a tick has seen last. */
    private int seen = ROOT;

    CallTree(Track track, int limit) {
        this.track = track;
        this.limit = limit;
        nodes[METHOD] = -1;
        nodes[TOUCHED] = 1; // so that it is never listed
    }

    /** Whether no call is open. */
    boolean isIdle() {
        return current == ROOT && hidden == 0;
    }

    /** No call is open until now: the time since the last exit is nobody's. */
    void resume(long now) {
        current = ROOT;
        hidden = 0;
        last = now;
        if (touchedNodes == 0) {
            epochStart = now;
            if (end >> NODE_BITS >= limit) {
                renew();
            }
        }
    }

    /** A call that was open when folding began: a node without a call. */
    void reopen(int id) {
        int child = hidden == 0 ? child(id) : ROOT;
        if (child == ROOT) {
            hidden++;
        } else {
            current = child;
            touch(child);
        }
    }

    /** So many open calls inside of the current one are part of it. */
    void hide(int calls) {
        hidden += calls;
    }

    /** Whether open calls are part of another: then only {@link #open} and {@link #close} may be used. */
    boolean isHiding() {
        return hidden > 0;
    }

    /** A call at an exact time; false, and no change, when it needs {@link #open}. */
    boolean enter(int id, long now) {
        int above = current;
        if (!enter(id)) {
            return false;
        }
        self[above >> NODE_BITS] += now - last;
        last = now;
        return true;
    }

    /** The end of a call that is not an outermost one, at an exact time; false, and no change, when it needs {@link #close}. */
    boolean exit(int id, boolean byThrow, long now) {
        int node = current;
        if (!exit(id, byThrow)) {
            return false;
        }
        self[node >> NODE_BITS] += now - last;
        last = now;
        touch(current);
        return true;
    }

    /** {@link #enter} without a time. */
    boolean enter(int id) {
        int[] t = nodes;
        int above = current;
        int child = t[above + LATEST];
        if (t[child + METHOD] != id) {
            child = t[child + FOLLOWER];
            if (t[child + METHOD] != id) {
                return false;
            }
            t[above + LATEST] = child;
        }
        current = child;
        if (t[child + CALLS]++ == 0) {
            touch(child);
        }
        return true;
    }

    /** {@link #exit} without a time. */
    boolean exit(int id, boolean byThrow) {
        int[] t = nodes;
        int node = current;
        int above = t[node + PARENT];
        if (t[node + METHOD] != id || above == ROOT) {
            return false;
        }
        current = above;
        if (byThrow) {
            t[node + THROWN]++;
            touch(node);
        }
        return true;
    }

    /** Any entry, which counts so many calls; false, and no change, when the tree has no room for it. */
    boolean open(int id, int counts) {
        int child = hidden == 0 ? child(id) : ROOT;
        if (child == ROOT) {
            return false;
        }
        touch(child);
        nodes[child + CALLS] += counts;
        current = child;
        return true;
    }

    /** Any call's end; false when no such call is open. Inner calls whose own ends were missed end with it, by throw. */
    boolean close(int id, boolean byThrow) {
        if (hidden > 0) {
            hidden--;
            track.lose(1);
            return true;
        }
        int node = current;
        while (node != ROOT && nodes[node + METHOD] != id) {
            node = nodes[node + PARENT];
        }
        if (node == ROOT) {
            track.lose(1);
            return false;
        }
        for (int inner = current; inner != node; inner = nodes[inner + PARENT]) {
            touch(inner);
            nodes[inner + THROWN]++;
        }
        if (byThrow) {
            touch(node);
            nodes[node + THROWN]++;
        }
        current = nodes[node + PARENT];
        touch(current);
        return true;
    }

    /** Time up to now belongs to the innermost open call. */
    void advance(long now) {
        spend(current, now);
    }

    /** A tick: the time since the last one belongs to the innermost open call, and what comes up to a next one that never comes. */
    void tick(long time) {
        if (time - last > 0) {
            spend(current, time);
        }
        seen = current;
    }

    /** The outermost call has ended: time up to now belongs to the node that a tick has seen last, else to that call. */
    void inherit(long now) {
        spend(seen == ROOT ? nodes[LATEST] : seen, now);
    }

    private void spend(int node, long now) {
        touch(node);
        self[node >> NODE_BITS] += now - last;
        last = now;
    }

    /** Up to when time is spent. */
    long last() {
        return last;
    }

    /** Publishes the epoch and begins the next; false (and no change) when no buffer is free. */
    boolean endEpoch() {
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
            publish(buffer);
        }
        epochStart = last;
        return true;
    }

    private void publish(Buffer buffer) {
        long[] words = buffer.words;
        int at = buffer.get();
        words[at++] = epochStart;
        words[at++] = last;
        words[at++] = touchedNodes;
        for (int i = 0; i < touchedNodes; i++) {
            int node = touched[i];
            int above = nodes[node + PARENT];
            words[at++] = number(node) | (above == ROOT ? -1L : number(above)) << 32;
            words[at++] = nodes[node + METHOD] | (long) nodes[node + CALLS] << 32;
            words[at++] = nodes[node + THROWN];
            words[at++] = self[node >> NODE_BITS];
            nodes[node + CALLS] = 0;
            nodes[node + THROWN] = 0;
            nodes[node + TOUCHED] = 0;
            self[node >> NODE_BITS] = 0;
        }
        touchedNodes = 0;
        touch(current); // its time goes on
        buffer.lazySet(at);
    }

    private long number(int node) {
        return numbered + (node >> NODE_BITS);
    }

    private void touch(int node) {
        if (nodes[node + TOUCHED] == 0) {
            nodes[node + TOUCHED] = 1;
            touched[touchedNodes++] = node;
        }
    }

    /** The current node's child; made when missing; ROOT when there is no room. */
    private int child(int id) {
        int latest = nodes[current + LATEST];
        int node = latest;
        do {
            if (nodes[node + METHOD] == id) {
                nodes[latest + FOLLOWER] = node;
                nodes[current + LATEST] = node;
                return node;
            }
            node = nodes[node + SIBLING];
        } while (node != latest);
        return make(id, latest);
    }

    private int make(int id, int latest) {
        if (end == nodes.length && !grow()) {
            return ROOT;
        }
        int node = end;
        end += NODE_INTS;
        Arrays.fill(nodes, node, end, ROOT);
        nodes[node + METHOD] = id;
        nodes[node + PARENT] = current;
        nodes[node + SIBLING] = node;
        if (latest != ROOT) {
            nodes[node + SIBLING] = nodes[latest + SIBLING];
            nodes[latest + SIBLING] = node;
            nodes[latest + FOLLOWER] = node;
        }
        nodes[current + LATEST] = node;
        return node;
    }

    private boolean grow() {
        int size = Math.min(limit, 4 * self.length);
        if (size <= self.length) {
            return false;
        }
        try {
            // Every copy before the first assignment: memory that runs out leaves the tree whole.
            int[] moreNodes = Arrays.copyOf(nodes, size << NODE_BITS);
            long[] moreSelf = Arrays.copyOf(self, size);
            touched = Arrays.copyOf(touched, size);
            self = moreSelf;
            nodes = moreNodes;
            return true;
        } catch (OutOfMemoryError e) {
            limit = self.length;
            return false;
        }
    }

    /** Whether a new tree of the open calls alone would have room for many more. */
    boolean mayRenew() {
        return hidden == 0 && openCalls() <= limit / 2;
    }

    private int openCalls() {
        int open = 0;
        for (int node = current; node != ROOT; node = nodes[node + PARENT]) {
            open++;
        }
        return open;
    }

    /** Right after an epoch's end: makes a new tree of the open calls alone. */
    void renew() {
        int open = openCalls();
        int[] path = new int[open];
        for (int node = current; node != ROOT; node = nodes[node + PARENT]) {
            path[--open] = nodes[node + METHOD];
        }
        numbered += end >> NODE_BITS;
        end = NODE_INTS;
        nodes[LATEST] = ROOT;
        touchedNodes = 0;
        current = ROOT;
        seen = ROOT;
        for (int id : path) {
            reopen(id);
        }
    }
}

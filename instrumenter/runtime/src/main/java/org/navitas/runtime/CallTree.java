package org.navitas.runtime;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One thread's folded calls: a calling-context tree whose nodes hold self time, calls and throws since the start of the
 * epoch. At the end of an epoch, the nodes touched in it are published and reset.
 *
 * <p>A published epoch is {@code start, end, rows}, followed by four words for each row: {@code node | parent << 32},
 * {@code method | calls << 32}, {@code throws}, {@code self}.
 *
 * <p>The number of nodes is bounded, for each tree and for all trees together; each tree may have a few nodes in any
 * case. A full tree is replaced by a new one ({@link #renew}), whose nodes have new numbers. If that is not possible,
 * calls of a new callee count as lost events, and their time as self time of the caller.
 *
 * <p>Nodes are ints of one array ({@link Node}). A probe then needs one array and stores no reference, which would cost
 * a garbage collector's barrier.
 */
final class CallTree {
    private final Track track;
    private int limit;
    /** Nodes that all trees together can still add, beyond each tree's minimum. */
    private final AtomicInteger room;

    private int[] nodes = new int[Node.INTS];
    private long[] self = new long[1];
    private int[] touched = new int[1];
    /** Where the next node is added. */
    private int end = Node.INTS;
    /** Offset from a node's ordinal to its published number. */
    int numbered = -1;

    private int touchedNodes;

    private int current = Node.ROOT;
    /** Number of open calls that are merged into {@link #current} because the tree is full. */
    private int hidden;

    private long last;
    private long epochStart;

    CallTree(Track track, int limit, AtomicInteger room) {
        this.track = track;
        this.limit = limit;
        this.room = room;
        nodes[Node.METHOD] = -1;
        nodes[Node.TOUCHED] = 1; // so that the root is never listed
    }

    /** Returns whether no call is open. */
    boolean isIdle() {
        return current == Node.ROOT && hidden == 0;
    }

    /** Starts after a time without an open call; the time since the last exit is not counted. */
    void resume(long now) {
        current = Node.ROOT;
        hidden = 0;
        last = now;
        if (touchedNodes == 0) {
            epochStart = now;
            if (end >> Node.BITS >= limit && mayRenew()) {
                renew();
            }
        }
    }

    /** Adds a call that was open when folding began: a node without a call. */
    void reopen(int id) {
        int child = hidden == 0 ? child(id) : Node.ROOT;
        if (child == Node.ROOT) {
            hidden++;
        } else {
            current = child;
            touch(child);
        }
    }

    /** Merges {@code calls} open calls within the current one into it. */
    void hide(int calls) {
        hidden += calls;
    }

    /** Returns whether open calls are merged into another; then only {@link #open} and {@link #close} may be used. */
    boolean isHiding() {
        return hidden > 0;
    }

    /** Records a call at an exact time; returns false without a change if it needs {@link #open}. */
    boolean enter(int id, long now) {
        int above = current;
        if (!enter(id)) {
            return false;
        }
        self[above >> Node.BITS] += now - last;
        last = now;
        return true;
    }

    /** Records the end of an inner call at an exact time; returns false without a change if it needs {@link #close}. */
    boolean exit(int id, boolean byThrow, long now) {
        int node = current;
        touch(nodes[node + Node.PARENT]); // first: a stack overflow here leaves a consistent state
        if (!exit(id, byThrow)) {
            return false;
        }
        self[node >> Node.BITS] += now - last;
        last = now;
        return true;
    }

    /** {@link #enter} without a time. */
    boolean enter(int id) {
        int[] t = nodes;
        int above = current;
        int child = t[above + Node.LATEST];
        if (t[child + Node.METHOD] != id) {
            child = t[child + Node.FOLLOWER];
            if (t[child + Node.METHOD] != id) {
                child = known(id);
                if (child == Node.ROOT) {
                    return false;
                }
            }
            t[above + Node.LATEST] = child;
        }
        if (t[child + Node.CALLS] == 0) {
            touch(child); // first: a stack overflow here leaves a consistent state
        }
        t[child + Node.CALLS]++;
        current = child;
        return true;
    }

    /** {@link #exit} without a time. */
    boolean exit(int id, boolean byThrow) {
        int[] t = nodes;
        int node = current;
        int above = t[node + Node.PARENT];
        if (t[node + Node.METHOD] != id || above == Node.ROOT) {
            return false;
        }
        if (byThrow) {
            touch(node);
            t[node + Node.THROWN]++;
        }
        current = above;
        return true;
    }

    /** Records any entry as {@code counts} calls; returns false without a change if the tree is full. */
    boolean open(int id, int counts) {
        int child = hidden == 0 ? child(id) : Node.ROOT;
        if (child == Node.ROOT) {
            return false;
        }
        touch(child);
        nodes[child + Node.CALLS] += counts;
        current = child;
        return true;
    }

    /**
     * Records the end of any call; returns false if no such call is open. Inner calls whose ends were missed also end,
     * as thrown.
     */
    boolean close(int id, boolean byThrow) {
        if (hidden > 0) {
            hidden--;
            track.lose(1);
            return true;
        }
        int node = current;
        while (node != Node.ROOT && nodes[node + Node.METHOD] != id) {
            node = nodes[node + Node.PARENT];
        }
        if (node == Node.ROOT) {
            track.lose(1);
            return false;
        }
        for (int inner = current; inner != node; inner = nodes[inner + Node.PARENT]) {
            touch(inner);
            nodes[inner + Node.THROWN]++;
        }
        if (byThrow) {
            touch(node);
            nodes[node + Node.THROWN]++;
        }
        current = nodes[node + Node.PARENT];
        touch(current);
        return true;
    }

    /** Adds the time until now to the innermost open call. */
    void advance(long now) {
        spend(current, now);
    }

    /**
     * Handles a tick: the time since the last one belongs to the innermost open call, and so does the rest if no tick
     * follows.
     */
    void tick(long time) {
        if (time - last > 0) {
            spend(current, time);
        }
        nodes[nodes[Node.LATEST] + Node.FOLLOWER] = current;
    }

    /**
     * Ends the outermost call: the time until now belongs to the node of the last tick within a call of its node, or to
     * that call if there was none.
     */
    void inherit(long now) {
        int node = nodes[nodes[Node.LATEST] + Node.FOLLOWER];
        spend(node == Node.ROOT ? nodes[Node.LATEST] : node, now);
    }

    /** Forgets what ticks found: in another test, these nodes may have no call. */
    void forget() {
        int node = nodes[Node.LATEST];
        do {
            nodes[node + Node.FOLLOWER] = Node.ROOT;
            node = nodes[node + Node.SIBLING];
        } while (node != nodes[Node.LATEST]);
    }

    private void spend(int node, long now) {
        touch(node);
        self[node >> Node.BITS] += now - last;
        last = now;
    }

    /** Publishes the epoch and starts the next; returns false without a change if no buffer is free. */
    boolean endEpoch() {
        if (touchedNodes > 0) {
            int need = words();
            Buffer head = track.head();
            if (head.get() + need > head.words.length && track.roll(0, need) == null) {
                return false;
            }
            publish();
            track.share();
        }
        epochStart = last;
        return true;
    }

    /** Called by the writer once the thread is dead: publishes the last epoch and releases the nodes. */
    void end() {
        if (touchedNodes > 0) {
            try {
                track.leavePool(words());
                publish();
            } catch (OutOfMemoryError e) {
                track.lose(touchedNodes);
            }
        }
        room.addAndGet(Math.max(0, self.length - Limits.OWN_NODES));
    }

    private int words() {
        return Format.EPOCH_WORDS + Format.ROW_WORDS * touchedNodes;
    }

    private void publish() {
        Buffer buffer = track.head();
        long[] words = buffer.words;
        int at = buffer.get();
        words[at++] = epochStart;
        words[at++] = last;
        words[at++] = touchedNodes;
        for (int i = 0; i < touchedNodes; i++) {
            int node = touched[i];
            int above = nodes[node + Node.PARENT];
            words[at++] = number(node) | (above == Node.ROOT ? -1L : number(above)) << 32;
            words[at++] = nodes[node + Node.METHOD] | (long) nodes[node + Node.CALLS] << 32;
            words[at++] = nodes[node + Node.THROWN];
            words[at++] = self[node >> Node.BITS];
            nodes[node + Node.CALLS] = 0;
            nodes[node + Node.THROWN] = 0;
            nodes[node + Node.TOUCHED] = 0;
            self[node >> Node.BITS] = 0;
        }
        touchedNodes = 0;
        touch(current); // its time continues in the next epoch
        buffer.lazySet(at);
    }

    /** Returns the number of the current node, as rows of epochs have it. */
    int currentNumber() {
        return (int) number(current);
    }

    private long number(int node) {
        return numbered + (node >> Node.BITS);
    }

    private void touch(int node) {
        if (nodes[node + Node.TOUCHED] == 0) {
            nodes[node + Node.TOUCHED] = 1;
            touched[touchedNodes++] = node;
        }
    }

    /** Finds the current node's child with this id and makes it the latest; returns ROOT if there is none. */
    private int known(int id) {
        int[] t = nodes;
        int above = current;
        int latest = t[above + Node.LATEST];
        int node = latest;
        do {
            if (t[node + Node.METHOD] == id) {
                if (above != Node.ROOT) {
                    t[latest + Node.FOLLOWER] = node;
                }
                t[above + Node.LATEST] = node;
                return node;
            }
            node = t[node + Node.SIBLING];
        } while (node != latest);
        return Node.ROOT;
    }

    /** Finds or adds the current node's child; returns ROOT if the tree is full. */
    private int child(int id) {
        int node = known(id);
        return node != Node.ROOT ? node : make(id, nodes[current + Node.LATEST]);
    }

    private int make(int id, int latest) {
        if (end == nodes.length && !grow()) {
            return Node.ROOT;
        }
        int node = end;
        end += Node.INTS;
        Arrays.fill(nodes, node, end, Node.ROOT);
        nodes[node + Node.METHOD] = id;
        nodes[node + Node.PARENT] = current;
        nodes[node + Node.SIBLING] = node;
        if (latest != Node.ROOT) {
            nodes[node + Node.SIBLING] = nodes[latest + Node.SIBLING];
            nodes[latest + Node.SIBLING] = node;
            if (current != Node.ROOT) {
                nodes[latest + Node.FOLLOWER] = node;
            }
        }
        nodes[current + Node.LATEST] = node;
        return node;
    }

    private boolean grow() {
        int size = Math.min(limit, 4 * self.length);
        int more = size > Limits.OWN_NODES ? size - self.length : 0;
        if (size <= self.length) {
            return false;
        }
        if (room.addAndGet(-more) < 0) {
            room.addAndGet(more);
            limit = self.length;
            return false;
        }
        try {
            // All copies before the first assignment: an OutOfMemoryError leaves the tree consistent.
            int[] moreNodes = Arrays.copyOf(nodes, size << Node.BITS);
            long[] moreSelf = Arrays.copyOf(self, size);
            touched = Arrays.copyOf(touched, size);
            self = moreSelf;
            nodes = moreNodes;
            return true;
        } catch (OutOfMemoryError e) {
            room.addAndGet(more);
            limit = self.length;
            return false;
        }
    }

    /**
     * Returns whether a new tree of the open calls only would have space for many more nodes, and node numbers remain.
     */
    boolean mayRenew() {
        return hidden == 0 && numbered <= Integer.MAX_VALUE - 2 * limit && openCalls() <= limit / 2;
    }

    private int openCalls() {
        int open = 0;
        for (int node = current; node != Node.ROOT; node = nodes[node + Node.PARENT]) {
            open++;
        }
        return open;
    }

    /** Replaces the tree by a new one of the open calls only; called right after an epoch's end. */
    void renew() {
        int open = openCalls();
        int[] path = new int[open];
        for (int node = current; node != Node.ROOT; node = nodes[node + Node.PARENT]) {
            path[--open] = nodes[node + Node.METHOD];
        }
        numbered += end >> Node.BITS;
        end = Node.INTS;
        nodes[Node.LATEST] = Node.ROOT;
        touchedNodes = 0;
        current = Node.ROOT;
        for (int id : path) {
            reopen(id);
        }
    }
}

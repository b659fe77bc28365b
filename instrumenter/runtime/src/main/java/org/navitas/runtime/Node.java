package org.navitas.runtime;

/**
 * A node of a {@link CallTree}: eight consecutive ints of one array, identified by the index of the first. Contains
 * only constants, which the compiler inlines, so the jar does not contain this class.
 */
final class Node {
    /** The node above the outermost calls, parent -1 in published rows. Also means "no node". */
    static final int ROOT = 0;
    /** A node has {@code 1 << BITS} ints. */
    static final int BITS = 3;

    static final int INTS = 1 << BITS;

    static final int METHOD = 0;
    static final int PARENT = 1;
    /** The child entered last. */
    static final int LATEST = 2;
    /** The next one in the ring of siblings. */
    static final int SIBLING = 3;
    /**
     * The sibling that was entered after this one. Of an outermost call, whose entries search all siblings: the node within
     * it that was current at its last tick.
     */
    static final int FOLLOWER = 4;

    static final int CALLS = 5;
    static final int THROWN = 6;
    /** Whether the node was used in the current epoch. */
    static final int TOUCHED = 7;

    private Node() {}
}

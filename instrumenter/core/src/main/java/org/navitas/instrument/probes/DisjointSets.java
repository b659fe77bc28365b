package org.navitas.instrument.probes;

import java.util.Arrays;

/** Disjoint sets of the numbers 0 … size - 1. Each starts as a set of its own. */
final class DisjointSets {
    private final int[] parent;

    DisjointSets(int size) {
        parent = new int[size];
        Arrays.setAll(parent, i -> i);
    }

    /** Returns the least number of an element's set. */
    int find(int element) {
        int root = element;
        while (parent[root] != root) {
            parent[root] = parent[parent[root]];
            root = parent[root];
        }
        return root;
    }

    /** Unites the sets of two elements; returns false if they are the same. */
    boolean join(int one, int other) {
        int a = find(one);
        int b = find(other);
        parent[Math.max(a, b)] = Math.min(a, b);
        return a != b;
    }
}

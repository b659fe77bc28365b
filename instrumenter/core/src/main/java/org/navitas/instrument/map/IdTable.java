package org.navitas.instrument.map;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import org.navitas.instrument.files.InstrumentException;

/**
 * Gives ids to the methods of classes. A class has a block of ids at a place that its name decides, in a table with much
 * more room than needed. So most classes keep their ids when others change, and equal apps get equal ids without a memory
 * of earlier runs. Some ids move: those of a few classes, when a new or larger class takes the place of another one; all of
 * an app, when the table must double; all of a map that continues others, when their highest id passes a power of two.
 *
 * <p>Blocks have the size of a power of two and begin at its multiples, and larger ones are placed first. So a block of
 * some size is completely free or completely taken, and each one finds a place as long as the table has one.
 */
public final class IdTable {
    /** Event records have 22 bits for the id; the last 256 belong to API calls and to the runtime. */
    public static final int MAX_METHODS = (1 << 22) - 256;
    /** How many ids the table has for each id in a block, if there are enough. */
    private static final int ROOM = 16;
    /** So that blocks rarely meet in small apps, too. */
    private static final int SMALLEST_TABLE = 1 << 14;

    private static final int ALL = 1 << 22;
    private static final int SMALLEST_BLOCK = 4;

    private final BitSet taken = new BitSet();
    private final int first;
    private final int size;

    private IdTable(int first, int size) {
        this.first = first;
        this.size = size;
        taken.set(MAX_METHODS, ALL);
    }

    /**
     * Gives ids to all methods.
     *
     * @param classes by name
     * @param used ids that others have
     * @param dense whether to use the smallest free ids, in the order of classes, as for an app that is too large for a table
     * @throws InstrumentException if there are more methods than ids
     */
    public static void number(List<NumberedClass> classes, BitSet used, boolean dense) throws InstrumentException {
        long methods = classes.stream().mapToLong(each -> each.methods.size()).sum();
        if (methods + used.cardinality() > MAX_METHODS) {
            throw new InstrumentException(methods + used.cardinality() + " methods, but a map can contain at most "
                    + MAX_METHODS + ": exclude some with exclude patterns");
        }
        long blocks = classes.stream()
                .mapToLong(each -> blockFor(each.methods.size()))
                .sum();
        int first = used.isEmpty() ? 0 : powerOfTwo(used.length());
        int size = sizeFor(blocks);
        if (first + size > ALL) { // the ids are scarce: the table begins where it fits
            while (size > SMALLEST_TABLE && multiple(used.length(), size) + size > ALL) {
                size >>= 1;
            }
            first = multiple(used.length(), size);
            size = first + size > ALL ? 0 : size;
        }
        if (2 * (long) size > ALL - first && isEnough(size >> 1, blocks)) {
            size >>= 1; // so that another map can continue this one
        }
        if (dense || !isEnough(size, blocks)) {
            numberDensely(classes, used);
        } else {
            new IdTable(first, size).number(classes);
        }
    }

    private static boolean isEnough(int size, long blocks) {
        return 4 * blocks <= 3L * size;
    }

    /** Returns the smallest multiple that is not smaller. */
    private static int multiple(int value, int of) {
        return (value + of - 1) / of * of;
    }

    private static void numberDensely(List<NumberedClass> classes, BitSet used) {
        int next = -1;
        for (NumberedClass each : classes) {
            each.ids = new int[each.methods.size()];
            for (int i = 0; i < each.ids.length; i++) {
                next = used.nextClearBit(next + 1);
                each.ids[i] = next;
            }
        }
    }

    private void number(List<NumberedClass> classes) {
        List<NumberedClass> order = new ArrayList<>(classes);
        order.removeIf(each -> each.methods.isEmpty());
        order.sort(Comparator.comparingInt((NumberedClass each) -> -blockFor(each.methods.size()))
                .thenComparing(each -> each.name));
        for (NumberedClass each : order) {
            int start = place(each.name, blockFor(each.methods.size()));
            each.ids = new int[each.methods.size()];
            for (int i = 0; i < each.ids.length; i++) {
                each.ids[i] = start + i;
            }
        }
    }

    /** Takes the first free block in an order that the name decides, and returns its first id. */
    private int place(String name, int block) {
        int places = size / block;
        int hash = mixed(name.hashCode());
        int place = (int) ((hash & 0xFFFFFFFFL) * places >>> Integer.SIZE);
        int step = 2 * hash + 1; // odd, so that it reaches each place
        int start = first + place * block;
        while (isTaken(start, start + block)) {
            place = place + step & places - 1;
            start = first + place * block;
        }
        taken.set(start, start + block);
        return start;
    }

    private boolean isTaken(int start, int end) {
        int next = taken.nextSetBit(start);
        return next >= 0 && next < end;
    }

    /** Returns the size of a class's block: with space for another method; 0 for a class without methods. */
    static int blockFor(int methods) {
        return methods == 0 ? 0 : Math.max(SMALLEST_BLOCK, powerOfTwo(methods + 1));
    }

    /** Returns the size of a table for blocks that together have that many ids, if there is space for it. */
    static int sizeFor(long blocks) {
        return Math.max(SMALLEST_TABLE, powerOfTwo(Math.min(ROOM * blocks, ALL)));
    }

    /** Returns the smallest power of two that is not smaller. */
    private static int powerOfTwo(long value) {
        return value <= 1 ? 1 : Integer.highestOneBit((int) value - 1) << 1;
    }

    /** Spreads hashes of similar names over all bits (the last step of MurmurHash3). */
    private static int mixed(int hash) {
        int mixed = (hash ^ hash >>> 16) * 0x85EBCA6B;
        mixed = (mixed ^ mixed >>> 13) * 0xC2B2AE35;
        return mixed ^ mixed >>> 16;
    }
}

package org.navitas.instrument.files;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.Test;

/** Tests parallel work on many items. */
public class ParallelTest {
    private final List<Integer> items = IntStream.range(0, 1000).boxed().collect(Collectors.toList());

    @Test
    public void returnsResultsInOrderOfItems() throws InstrumentException {
        assertEquals(items, Parallel.map(items, item -> item));
    }

    @Test
    public void throwsFirstFailure() {
        InstrumentException e = assertThrows(
                InstrumentException.class,
                () -> Parallel.map(items, item -> {
                    if (item >= 3) {
                        throw new InstrumentException(item + " is wrong");
                    }
                    return item;
                }));
        assertEquals("3 is wrong", e.getMessage());
    }

    @Test
    public void propagatesErrors() {
        assertThrows(
                OutOfMemoryError.class,
                () -> Parallel.map(items, item -> {
                    throw new OutOfMemoryError();
                }));
    }
}

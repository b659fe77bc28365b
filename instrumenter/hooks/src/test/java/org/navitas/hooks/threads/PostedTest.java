package org.navitas.hooks.threads;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import org.junit.Test;
import org.navitas.hooks.Recorded;
import org.navitas.hooks.base.WeakTable;

/** Posted work keeps its identity, and what the hooks know of the app's objects does not keep them alive. */
public class PostedTest {
    @Test
    public void workThatIsPostedAgainIsFoundByIdentity() {
        Runnable task = () -> {};
        Runnable posted = Posted.of(task);
        assertNotSame(task, posted);
        assertSame(posted, Posted.of(task));
        assertSame(posted, Posted.known(task));
        assertNull(Posted.known(() -> {}));
        assertNull(Posted.known(null));
        assertNull(Posted.of(null));
        assertEquals(task.toString(), posted.toString());
    }

    @Test
    public void eachRunHasItsOrigin() throws Exception {
        int[] runs = {0};
        Recorded<Object> recorded = Recorded.of(() -> {
            Runnable posted = Posted.of(() -> runs[0]++);
            Thread other = new Thread(posted);
            other.start();
            other.join();
            posted.run();
            return null;
        });
        assertEquals(2, runs[0]);
        assertEquals(2, recorded.handed().size());
        for (long[] record : recorded.handed()) {
            assertTrue(Arrays.toString(record), record[3] <= record[0] && record[0] <= record[1]);
        }
    }

    @Test
    public void tableIsByIdentity() {
        WeakTable<String> table = new WeakTable<>();
        String one = new String("same");
        String other = new String("same");
        assertNull(table.put(one, "first"));
        assertNull(table.get(other));
        assertEquals("first", table.put(one, "second"));
        assertEquals("second", table.get(one));
        assertEquals("second", table.remove(one));
        assertNull(table.remove(one));
    }

    @Test
    public void tableLetsObjectsBeCollected() throws Exception {
        WeakTable<String> table = new WeakTable<>();
        Object kept = new Object();
        WeakReference<Object> gone = new WeakReference<>(new Object());
        table.put(gone.get() == null ? new Object() : gone.get(), "gone");
        while (gone.get() != null) {
            System.gc();
        }
        for (int i = 0; table.size() > 1 || i == 0; i++) {
            System.gc();
            Thread.sleep(1);
            table.put(kept, "kept");
        }
        assertEquals("kept", table.get(kept));
    }
}

package org.navitas.junit;

import static org.junit.Assert.assertEquals;

import java.util.Arrays;
import org.junit.Test;

public class PlatformNamesTest {
    @Test
    public void containersAreNamedOnce() {
        assertEquals("rules", joined("rules"));
        assertEquals("Group / rules", joined("Group", "rules"));
        // As ArchUnit's engine names rules of other classes.
        assertEquals("Group > rule", joined("Group", "Group > rule"));
        assertEquals("Sets > Group > rule", joined("Sets", "Group", "Sets > Group > rule"));
        assertEquals("Sets / Group", joined("Sets", "Group"));
        assertEquals("Group / Groups > rule", joined("Group", "Groups > rule"));
    }

    private static String joined(String... labels) {
        return PlatformNames.joined(Arrays.asList(labels));
    }
}

package org.navitas.hooks;

import static org.junit.Assert.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.Test;

/** Packages of hooks import each other one way. */
public class PackagesTest {
    private static final Path SOURCES = Paths.get("src/main/java/org/navitas/hooks");
    private static final Pattern IMPORT =
            Pattern.compile("^import org\\.navitas\\.hooks\\.(\\w+)\\.", Pattern.MULTILINE);

    @Test
    public void importsGoOneWay() throws Exception {
        Set<String> imports = new TreeSet<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path each :
                    (Iterable<Path>) files.filter(file -> file.getNameCount() > SOURCES.getNameCount() + 1)::iterator) {
                String importing = each.getParent().getFileName().toString();
                Matcher matcher = IMPORT.matcher(new String(Files.readAllBytes(each), StandardCharsets.UTF_8));
                while (matcher.find()) {
                    if (!matcher.group(1).equals("base")) {
                        imports.add(importing + " > " + matcher.group(1));
                    }
                }
            }
        }
        assertEquals("[network > files, providers > intents, work > intents]", imports.toString());
    }
}

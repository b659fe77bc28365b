package org.navitas.instrument.testing;

import com.android.tools.r8.CompilationMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import kotlin.Unit;
import kotlinx.coroutines.CoroutineScope;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.run.BulkInstrumenter;

/** All targets, each for its newest version of Java, in one folder with probes. */
public final class DexedTargets {
    /** What Kotlin's targets use. */
    public static final List<Path> LIBRARIES =
            Arrays.asList(Libraries.jarOf(Unit.class), Libraries.jarOf(CoroutineScope.class));

    public final List<TargetProgram> programs;
    public final MapText map;
    private final Path probed;

    /** Adds probes to the targets, in a folder. */
    public DexedTargets(Path folder) throws Exception {
        Map<String, TargetProgram> newest = new LinkedHashMap<>();
        for (TargetProgram each : TargetProgram.all()) {
            newest.put(each.file, each);
        }
        programs = new ArrayList<>(newest.values());
        probed = folder.resolve("probed");
        List<Input> inputs = new ArrayList<>();
        for (TargetProgram each : programs) {
            inputs.add(new Input(each.compiled(), probed, Input.MAIN, ":"));
        }
        BulkInstrumenter.run(inputs, Options.defaults(), folder.resolve("map.json"));
        map = MapText.of(folder.resolve("map.json"));
    }

    public Dexed compile(CompilationMode mode, int oldest) throws Exception {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> found = Files.walk(probed)) {
            found.filter(each -> each.toString().endsWith(".class")).forEach(files::add);
        }
        return Dexed.of(files, LIBRARIES, mode, oldest);
    }
}

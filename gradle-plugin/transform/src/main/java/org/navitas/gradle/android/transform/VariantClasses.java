package org.navitas.gradle.android.transform;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.gradle.api.logging.Logger;
import org.navitas.gradle.android.AndroidModule;
import org.navitas.gradle.android.ClassOptions;
import org.navitas.gradle.android.ClassPart;
import org.navitas.gradle.android.ClassWork;
import org.navitas.gradle.android.ProbeNotice;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.map.MapClass;

/** The classes of one component in the Transform, and the list of its outputs. */
final class VariantClasses {
    private static final String RESOURCE_IDS = "**.R";

    private final AndroidModule module;
    private final boolean isTest;
    private final boolean isApp;
    private final String variant;
    private final List<Input> inputs = new ArrayList<>();
    private final Set<File> outputs = new LinkedHashSet<>();

    VariantClasses(AndroidModule module, String variant, boolean isTest, boolean isApp) {
        this.module = module;
        this.variant = variant;
        this.isTest = isTest;
        this.isApp = isApp;
    }

    /** Returns the file that lists folders and jars of classes, one per line. */
    static File outputsFile(AndroidModule module, String variant, boolean isTest) {
        return new File(module.map(variant, ClassPart.of(isTest)).getParentFile(), "classes.txt");
    }

    void add(File in, File out, String owner, boolean isOwn) {
        if (in.exists()) {
            inputs.add(new Input(in.toPath(), out.toPath(), isTest && isOwn ? Input.TEST : Input.MAIN, owner));
            outputs.add(out);
        }
    }

    /**
     * @param notice printed about an APK with probes; null to copy the classes unchanged
     * @param mapClass folder for the class with the map's id; written for the first map of a process
     */
    void write(ProbeNotice notice, File mapClass, Logger log) throws IOException {
        boolean probed = notice != null;
        boolean namesMap = probed && isTest != isApp;
        File mapFile = new File(mapClass, MapClass.PATH);
        if (!namesMap) {
            Files.deleteIfExists(mapFile.toPath()); // of an earlier build with probes
        }
        File map = module.map(variant, ClassPart.of(isTest));
        File earlier = isTest ? module.map(variant, ClassPart.APP) : null;
        Files.createDirectories(map.getParentFile().toPath());
        // The same code copies classes without probes; it keeps what an earlier run copied.
        ClassOptions options = module.classOptions().without(probed ? RESOURCE_IDS : ClassOptions.ALL);
        if (inputs.isEmpty()) {
            return;
        }
        String mapId = ClassWork.instrument(inputs, options, earlier, map, log);
        if (namesMap) {
            notice.print(log);
            Files.createDirectories(mapFile.getParentFile().toPath());
            Files.write(mapFile.toPath(), MapClass.bytes(mapId));
            outputs.add(mapClass);
        }
        List<String> lines = new ArrayList<>();
        outputs.forEach(file -> lines.add(file.getPath()));
        Files.write(outputsFile(module, variant, isTest).toPath(), lines, StandardCharsets.UTF_8);
    }
}

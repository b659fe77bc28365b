package org.navitas.gradle.android.variants;

import com.android.build.api.instrumentation.AsmClassVisitorFactory;
import com.android.build.api.instrumentation.ClassContext;
import com.android.build.api.instrumentation.ClassData;
import com.android.build.api.instrumentation.InstrumentationParameters;
import java.io.File;
import java.util.function.Consumer;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.logging.Logging;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.navitas.gradle.android.KnownIds;
import org.objectweb.asm.ClassVisitor;

/**
 * Adds probes to the classes of the build's other modules in an app. Android does so for each module on its own: after an edit, it
 * dexes only what has changed.
 */
public abstract class ModuleProbes implements AsmClassVisitorFactory<ModuleProbes.Parameters> {
    private static final Consumer<String> WARN =
            message -> Logging.getLogger(ModuleProbes.class).warn("navitas: {}", message);

    /** What decides which classes get probes. */
    public interface Parameters extends InstrumentationParameters {
        /**
         * The ids of methods.
         *
         * @return a file of {@link org.navitas.instrument.classes.ClassIds}
         */
        @InputFile
        @PathSensitive(PathSensitivity.NONE)
        RegularFileProperty getIds();
    }

    @Override
    public boolean isInstrumentable(ClassData type) {
        return KnownIds.of(idsFile()).has(type.getClassName());
    }

    @Override
    public ClassVisitor createClassVisitor(ClassContext context, ClassVisitor next) {
        int api = getInstrumentationContext().getApiVersion().get();
        String name = context.getCurrentClassData().getClassName();
        return new ClassReplacer(api, next, original -> KnownIds.of(idsFile()).instrument(name, original, WARN));
    }

    private File idsFile() {
        return getParameters().get().getIds().get().getAsFile();
    }
}

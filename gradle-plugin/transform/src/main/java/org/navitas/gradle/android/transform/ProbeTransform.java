package org.navitas.gradle.android.transform;

import com.android.build.api.transform.DirectoryInput;
import com.android.build.api.transform.Format;
import com.android.build.api.transform.JarInput;
import com.android.build.api.transform.QualifiedContent;
import com.android.build.api.transform.QualifiedContent.ContentType;
import com.android.build.api.transform.QualifiedContent.DefaultContentType;
import com.android.build.api.transform.QualifiedContent.Scope;
import com.android.build.api.transform.Transform;
import com.android.build.api.transform.TransformInput;
import com.android.build.api.transform.TransformInvocation;
import com.android.build.api.transform.TransformOutputProvider;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.gradle.api.Project;
import org.navitas.gradle.CarriedJars;
import org.navitas.gradle.android.AndroidModule;
import org.navitas.gradle.android.ProbeNotice;

/** Adds probes to the classes of tested variants and of their tests; copies all others unchanged. */
final class ProbeTransform extends Transform {
    static final String NAME = "navitas";
    private static final String TESTS = "AndroidTest";

    private final Project project;
    private final AndroidModule module;
    private final boolean isApp;
    private final Map<String, ProbeNotice> tested = new TreeMap<>();

    ProbeTransform(Project project, AndroidModule module, boolean isApp) {
        this.project = project;
        this.module = module;
        this.isApp = isApp;
    }

    /** Adds a variant whose classes get probes. */
    void takes(String variant, ProbeNotice notice) {
        tested.put(variant, notice);
    }

    @Override
    public String getName() {
        return NAME;
    }

    @Override
    public Set<ContentType> getInputTypes() {
        return Collections.singleton(DefaultContentType.CLASSES);
    }

    /** In a library, only its own classes may be transformed. */
    @Override
    public Set<? super Scope> getScopes() {
        return isApp ? EnumSet.of(Scope.PROJECT, Scope.SUB_PROJECTS) : EnumSet.of(Scope.PROJECT);
    }

    @Override
    public Map<String, Object> getParameterInputs() {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("plugin", CarriedJars.hash());
        parameters.put("options", module.classOptions().text());
        parameters.put("instrumentTests", module.instrumentTests());
        parameters.put("variants", String.join(" ", tested.keySet()));
        return parameters;
    }

    /**
     * Returns true: the instrumenter's state identifies unchanged classes, and Android then finds their files unchanged.
     */
    @Override
    public boolean isIncremental() {
        return true;
    }

    @Override
    public void transform(TransformInvocation invocation) throws IOException {
        String component = invocation.getContext().getVariantName();
        boolean isTest = component.endsWith(TESTS);
        String variant = isTest ? component.substring(0, component.length() - TESTS.length()) : component;
        VariantClasses classes = new VariantClasses(module, variant, isTest, isApp);
        TransformOutputProvider outputs = invocation.getOutputProvider();
        boolean probed = tested.containsKey(variant) && (!isTest || module.instrumentTests());
        for (TransformInput input : invocation.getInputs()) {
            for (DirectoryInput folder : input.getDirectoryInputs()) {
                classes.add(
                        folder.getFile(),
                        location(outputs, folder, Format.DIRECTORY),
                        project.getPath(),
                        isOwn(folder));
            }
            for (JarInput jar : input.getJarInputs()) {
                classes.add(jar.getFile(), location(outputs, jar, Format.JAR), owner(jar.getFile()), isOwn(jar));
            }
        }
        File mapClass = outputs.getContentLocation(
                "navitas-map", getInputTypes(), Collections.singleton(Scope.PROJECT), Format.DIRECTORY);
        classes.write(probed ? tested.get(variant) : null, mapClass, project.getLogger());
    }

    private static boolean isOwn(QualifiedContent content) {
        return content.getScopes().contains(Scope.PROJECT);
    }

    private static File location(TransformOutputProvider outputs, QualifiedContent content, Format format) {
        return outputs.getContentLocation(content.getName(), content.getContentTypes(), content.getScopes(), format);
    }

    /** Returns the project that built a jar, by its location. Gradle versions with this API cannot isolate projects. */
    private String owner(File jar) {
        Path path = jar.toPath();
        for (Project each : project.getRootProject().getAllprojects()) {
            if (path.startsWith(each.getBuildDir().toPath())) {
                return each.getPath();
            }
        }
        return project.getPath();
    }
}

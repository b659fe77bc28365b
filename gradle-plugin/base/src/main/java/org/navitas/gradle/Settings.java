package org.navitas.gradle;

import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.gradle.api.GradleException;
import org.gradle.api.Project;
import org.navitas.instrument.choice.Probes;

/** The settings of a build: project properties {@code navitas.<name>}, otherwise the block {@code navitas { }}. */
public final class Settings {
    /** The setting that names the file with blocks to remove or repeat. */
    public static final String BLOCK_EDITS = "blockEdits";

    private final Project project;
    private final ProjectProperties properties;

    /**
     * Creates the settings of a project.
     *
     * @param project the project with the properties
     */
    public Settings(Project project) {
        this.project = project;
        this.properties = new ProjectProperties(project);
    }

    /**
     * Returns a list; a property separates items by commas.
     *
     * @param name the setting's name
     * @param otherwise the value if there is no property
     * @return the items
     */
    public List<String> list(String name, List<String> otherwise) {
        Object value = property(name);
        if (value == null) {
            return otherwise;
        }
        return Arrays.stream(value.toString().split(","))
                .map(String::trim)
                .filter(s -> !s.isEmpty())
                .collect(Collectors.toList());
    }

    /**
     * Returns a flag.
     *
     * @param name the setting's name
     * @param otherwise the value if there is no property
     * @return true or false
     */
    public boolean flag(String name, boolean otherwise) {
        Object value = property(name);
        return value == null ? otherwise : Boolean.parseBoolean(value.toString());
    }

    /**
     * Returns a value as text.
     *
     * @param name the setting's name
     * @param otherwise the value if there is no property, or null
     * @return the text, or null if the setting is not set
     */
    public String text(String name, Object otherwise) {
        Object value = property(name);
        return value != null ? value.toString() : otherwise == null ? null : otherwise.toString();
    }

    /**
     * Returns the kind of probes.
     *
     * @return the probes of methods, if there is no property
     * @throws GradleException for an unknown kind
     */
    public Probes probes() {
        try {
            return Probes.of(text("probes", Probes.METHODS.text()));
        } catch (IllegalArgumentException e) {
            throw new GradleException("navitas.probes: " + e.getMessage());
        }
    }

    /** Returns a file, relative to the project's folder. */
    File file(String name, Object otherwise) {
        Object value = property(name);
        return project.file(value == null ? otherwise : value);
    }

    /**
     * Returns a file that only a property names.
     *
     * @param name the setting's name
     * @return the file, relative to the project's folder, or null if the setting is not set
     */
    public File file(String name) {
        Object value = property(name);
        return value == null ? null : project.file(value);
    }

    private Object property(String name) {
        return properties.find("navitas." + name);
    }
}

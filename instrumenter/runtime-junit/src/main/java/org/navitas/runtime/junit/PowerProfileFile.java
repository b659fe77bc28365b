package org.navitas.runtime.junit;

import android.content.Context;
import android.content.res.Resources;
import android.content.res.XmlResourceParser;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import org.xmlpull.v1.XmlPullParser;
import org.xmlpull.v1.XmlPullParserException;

/**
 * Copies the phone's power profile to {@code files/navitas/power_profile.xml}, next to the events. Inside an app, the
 * system's resources have all overlays applied. Outside of it, not every release shows them.
 *
 * <p>For Android only: a JVM lacks the classes used here, so it must not load this class.
 */
final class PowerProfileFile {
    static final String NAME = "power_profile.xml";
    private static final String FOLDER = "navitas";

    private PowerProfileFile() {}

    /**
     * Writes the file if a profiler has created the folder. On failure, prints the reason to standard error, which is
     * the log.
     */
    static void leave() {
        try {
            // Gets the process's Context without a test library. Public to apps on all releases, but not in the SDK.
            Object app = Class.forName("android.app.ActivityThread")
                    .getMethod("currentApplication")
                    .invoke(null);
            File folder = app == null ? null : new File(((Context) app).getFilesDir(), FOLDER);
            Resources system = Resources.getSystem();
            int id = system.getIdentifier("power_profile", "xml", "android");
            if (folder != null && folder.isDirectory() && id != 0) {
                write(system.getXml(id), new File(folder, NAME));
            }
        } catch (ReflectiveOperationException
                | XmlPullParserException
                | IOException
                | RuntimeException
                | LinkageError e) {
            System.err.println("navitas: [power_profile_unreadable] the app cannot read the power profile: " + e);
        }
    }

    private static void write(XmlResourceParser xml, File file) throws XmlPullParserException, IOException {
        File part = new File(file.getPath() + ".part");
        try (Writer out = new OutputStreamWriter(new FileOutputStream(part), "UTF-8")) {
            copy(xml, out);
        } finally {
            xml.close();
        }
        if (!part.renameTo(file)) {
            throw new IOException("cannot rename " + part);
        }
    }

    /**
     * Copies elements, attributes and text of a document. Drops comments and namespaces, which power profiles do not
     * use.
     */
    static void copy(XmlPullParser xml, Appendable out) throws XmlPullParserException, IOException {
        out.append("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
        for (int event = xml.getEventType(); event != XmlPullParser.END_DOCUMENT; event = xml.next()) {
            if (event == XmlPullParser.START_TAG) {
                out.append('<').append(xml.getName());
                for (int i = 0; i < xml.getAttributeCount(); i++) {
                    out.append(' ').append(xml.getAttributeName(i)).append("=\"");
                    out.append(escaped(xml.getAttributeValue(i))).append('"');
                }
                out.append('>');
            } else if (event == XmlPullParser.TEXT) {
                out.append(escaped(xml.getText()));
            } else if (event == XmlPullParser.END_TAG) {
                out.append("</").append(xml.getName()).append(">\n");
            }
        }
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}

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
 * Leaves the phone's power profile beside the events: {@code files/navitas/power_profile.xml}. Inside an app the system's resources
 * have all overlays applied, which nothing outside the app tells on every release.
 *
 * <p>Only for a phone: a JVM has none of the classes used here, so this class must not be loaded there.
 */
final class PowerProfileFile {
    static final String NAME = "power_profile.xml";
    private static final String FOLDER = "navitas";

    private PowerProfileFile() {}

    /** Writes the file where a profiler has made the folder; says on standard error, which is the log, why it cannot. */
    static void leave() {
        try {
            // The process's own Context without a test library; public to apps on all releases, though not in the SDK.
            Object app = Class.forName("android.app.ActivityThread").getMethod("currentApplication").invoke(null);
            File folder = app == null ? null : new File(((Context) app).getFilesDir(), FOLDER);
            Resources system = Resources.getSystem();
            int id = system.getIdentifier("power_profile", "xml", "android");
            if (folder != null && folder.isDirectory() && id != 0) {
                write(system.getXml(id), new File(folder, NAME));
            }
        } catch (ReflectiveOperationException | XmlPullParserException | IOException | RuntimeException | LinkageError e) {
            System.err.println("navitas: [power_profile_unreadable] the power profile cannot be read in the app: " + e);
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

    /** Writes elements, attributes and text of a document as they come; comments and namespaces are none of a power profile's. */
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

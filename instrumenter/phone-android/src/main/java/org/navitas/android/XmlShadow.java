package org.navitas.android;

import android.util.Xml;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.parsers.SAXParserFactory;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.xml.sax.ContentHandler;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.XMLReader;

/** Parses XML with the JDK's parser, since Android's is native. As with Android's, entities outside of the file are not read. */
@Implements(className = "android.util.Xml")
public class XmlShadow {
    private static final String EXTERNAL = "http://apache.org/xml/features/nonvalidating/load-external-dtd";

    @Implementation
    protected static void parse(String xml, ContentHandler handler) throws SAXException {
        try {
            parse(new StringReader(xml), handler);
        } catch (IOException e) {
            throw new AssertionError(e); // a string can be read
        }
    }

    @Implementation
    protected static void parse(Reader in, ContentHandler handler) throws IOException, SAXException {
        parse(new InputSource(in), handler);
    }

    @Implementation
    protected static void parse(InputStream in, Xml.Encoding encoding, ContentHandler handler)
            throws IOException, SAXException {
        InputSource source = new InputSource(in);
        source.setEncoding(encoding.toString().replace('_', '-'));
        parse(source, handler);
    }

    private static void parse(InputSource source, ContentHandler handler) throws IOException, SAXException {
        try {
            SAXParserFactory factory = SAXParserFactory.newInstance();
            factory.setNamespaceAware(true);
            XMLReader reader = factory.newSAXParser().getXMLReader();
            reader.setFeature(EXTERNAL, false);
            reader.setFeature("http://xml.org/sax/features/external-general-entities", false);
            reader.setFeature("http://xml.org/sax/features/external-parameter-entities", false);
            reader.setContentHandler(handler);
            reader.parse(source);
        } catch (ParserConfigurationException e) {
            throw new AssertionError(e);
        }
    }
}

package org.navitas.runtime.junit;

import static org.junit.Assert.assertEquals;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;
import org.xmlpull.v1.XmlPullParser;

/** Simulates a phone's XML parser, since the platform's classes are stubs here. */
public class PowerProfileFileTest {
    /** Returns a parser of events such as {@code "<tag name=value"}, {@code "text"} and {@code ">tag"}. */
    private static XmlPullParser parser(String... events) {
        List<String> left = new ArrayList<>(Arrays.asList(events));
        return (XmlPullParser) Proxy.newProxyInstance(
                PowerProfileFileTest.class.getClassLoader(),
                new Class<?>[] {XmlPullParser.class},
                (proxy, method, args) -> answer(left, method.getName()));
    }

    private static Object answer(List<String> left, String method) {
        if (method.equals("next") && !left.isEmpty()) {
            left.remove(0);
        }
        String now = left.isEmpty() ? "" : left.get(0);
        String[] words = now.substring(Math.min(1, now.length())).split(" ", 2);
        switch (method) {
            case "getEventType":
            case "next":
                return left.isEmpty()
                        ? XmlPullParser.END_DOCUMENT
                        : now.equals("start")
                                ? XmlPullParser.START_DOCUMENT
                                : now.startsWith("<")
                                        ? XmlPullParser.START_TAG
                                        : now.startsWith(">") ? XmlPullParser.END_TAG : XmlPullParser.TEXT;
            case "getName":
                return words[0];
            case "getAttributeCount":
                return words.length - 1;
            case "getAttributeName":
                return words[1].split("=")[0];
            case "getAttributeValue":
                return words[1].split("=")[1];
            case "getText":
                return now;
            default:
                throw new UnsupportedOperationException(method);
        }
    }

    @Test
    public void copiesElementsAttributesAndText() throws Exception {
        StringBuilder out = new StringBuilder();
        PowerProfileFile.copy(
                parser(
                        "start",
                        "<device name=Android",
                        "<array name=a&b",
                        "<value",
                        "12.5",
                        ">value",
                        ">array",
                        "<item name=\"q\"",
                        "1<2",
                        ">item",
                        ">device"),
                out);
        assertEquals(
                "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                        + "<device name=\"Android\"><array name=\"a&amp;b\"><value>12.5</value>\n</array>\n"
                        + "<item name=\"&quot;q&quot;\">1&lt;2</item>\n</device>\n",
                out.toString());
    }

    /** Outside a phone, the stubs' exceptions must not reach the user's tests. */
    @Test
    public void neverThrows() {
        PowerProfileFile.leave();
    }
}

package org.navitas.hooks.files;

import java.io.UnsupportedEncodingException;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;

/** Charsets, with the exceptions of the platform's writers. */
final class Charsets {
    private Charsets() {}

    static Charset of(String name) throws UnsupportedEncodingException {
        if (name == null) {
            throw new NullPointerException("charsetName");
        }
        try {
            return Charset.forName(name);
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            throw new UnsupportedEncodingException(name);
        }
    }

    static Charset of(Charset charset) {
        if (charset == null) {
            throw new NullPointerException("charset");
        }
        return charset;
    }
}

package org.navitas.io;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;

/** Many calls of APIs in a row, whose times show what recording them costs. */
public final class Calls {
    public void write(int count) throws IOException {
        try (FileOutputStream out = new FileOutputStream("/dev/null")) {
            for (int i = 0; i < count; i++) out.write(i);
        }
    }

    public void browse(int port, int requests) throws IOException {
        byte[] block = new byte[1 << 10];
        for (int i = 0; i < requests; i++) {
            try (InputStream in = new URL("http", "127.0.0.1", port, "/fast/8192").openStream()) {
                while (in.read(block) > 0) { }
            }
        }
    }
}

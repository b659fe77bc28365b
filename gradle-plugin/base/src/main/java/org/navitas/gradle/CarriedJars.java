package org.navitas.gradle;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32;
import org.gradle.api.GradleException;

/** The jars inside of the plugin's own that go beside users' classes. */
public final class CarriedJars {
  public static final String RUNTIME = "navitas-runtime.jar";
  public static final String LISTENER = "navitas-runtime-junit.jar";
  static final List<String> ALL = Collections.unmodifiableList(Arrays.asList(RUNTIME, LISTENER));

  private CarriedJars() {}

  public static byte[] bytes(String jar) throws IOException {
    try (InputStream in = CarriedJars.class.getResourceAsStream(jar)) {
      if (in == null) {
        throw new GradleException("navitas: the plugin's jar lacks " + jar + "; build or install it again");
      }
      return read(in);
    }
  }

  /** Changes with the contents of any of them. */
  public static String hash() {
    CRC32 crc = new CRC32();
    try {
      for (String jar : ALL) {
        crc.update(bytes(jar));
      }
    } catch (IOException e) {
      throw new GradleException("navitas: the plugin's jar cannot be read: " + e.getMessage(), e);
    }
    return Long.toHexString(crc.getValue());
  }

  /** All that a stream has left. */
  public static byte[] read(InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] buffer = new byte[8192];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      bytes.write(buffer, 0, n);
    }
    return bytes.toByteArray();
  }
}

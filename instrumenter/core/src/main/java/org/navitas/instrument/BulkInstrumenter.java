package org.navitas.instrument;

import java.nio.file.Path;
import java.util.List;

/** Instruments folders and jars in one go and writes their method map. */
public final class BulkInstrumenter {
  private BulkInstrumenter() {}

  /**
   * Writes each input's instrumented copy, the method map, and {@code META-INF/navitas/map.properties} into the first
   * output. What an earlier run with the same map file left there and is still right stays untouched.
   *
   * @param inputs folders and jars in class path order
   * @param mapFile where the method map goes; {@code <mapFile>.state} beside it remembers the outputs
   * @throws InstrumentException when an input cannot be read, an output cannot be written, or inputs are unsafe
   */
  public static Summary run(List<Input> inputs, Options options, Path mapFile) throws InstrumentException {
    throw new InstrumentException("not available");
  }
}

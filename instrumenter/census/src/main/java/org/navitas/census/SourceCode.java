package org.navitas.census;

import java.nio.file.Path;
import java.util.List;
import org.navitas.instrument.InstrumentException;

final class SourceCode {
  static SourceCode read(List<Path> sources, List<Path> classPath, List<String> notes) throws InstrumentException {
    return new SourceCode();
  }
}

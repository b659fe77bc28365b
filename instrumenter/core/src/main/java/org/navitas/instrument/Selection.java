package org.navitas.instrument;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Decides which classes get probes; {@link Options} states the rules. */
final class Selection {
  enum Verdict {
    TAKE,
    /** An exclude pattern took it out; listed in the map. */
    EXCLUDED,
    /** Not asked for. */
    LEAVE
  }

  private static final String RUNTIME = "org.navitas.runtime.";
  /** Packages of the platforms, languages and test frameworks whose insides no user means by "my code". */
  private static final String[] FRAMEWORKS = {
    "android.", "androidx.", "com.android.", "com.google.android.", "dalvik.", "libcore.",
    "java.", "javax.", "jakarta.", "jdk.", "sun.", "com.sun.",
    "kotlin.", "kotlinx.", "groovy.", "org.codehaus.groovy.", "org.apache.groovy.", "scala.",
    "junit.", "org.junit.", "org.hamcrest.", "org.opentest4j.", "org.apiguardian.", "org.testng.",
    "org.mockito.", "net.bytebuddy.", "org.objenesis.", "org.robolectric.",
    "org.gradle.", "org.intellij.lang.annotations.", "org.jetbrains.annotations.", "org.navitas.phone.",
  };

  private final List<Pattern> includes;
  private final List<Pattern> excludes;

  Selection(Options options) throws InstrumentException {
    includes = compile(options.includes());
    excludes = compile(options.excludes());
  }

  Verdict of(String className, String source) {
    if (className.startsWith(RUNTIME) || className.endsWith("package-info") || className.equals("module-info")) {
      return Verdict.LEAVE;
    }
    boolean wanted = includes.isEmpty()
        ? !source.equals(Input.DEPENDENCY) && !isFramework(className)
        : matches(includes, className);
    if (!wanted) {
      return Verdict.LEAVE;
    }
    return matches(excludes, className) ? Verdict.EXCLUDED : Verdict.TAKE;
  }

  private static boolean isFramework(String className) {
    for (String prefix : FRAMEWORKS) {
      if (className.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }

  private static boolean matches(List<Pattern> patterns, String className) {
    for (Pattern pattern : patterns) {
      if (pattern.matcher(className).matches()) {
        return true;
      }
    }
    return false;
  }

  private static List<Pattern> compile(List<String> patterns) throws InstrumentException {
    List<Pattern> compiled = new ArrayList<>();
    for (String pattern : patterns) {
      if (pattern.isEmpty() || pattern.indexOf('/') >= 0) {
        throw new InstrumentException(
            "pattern '" + pattern + "': a pattern is a dotted class name with * or **, such as org.example.**");
      }
      StringBuilder regex = new StringBuilder();
      for (int i = 0; i < pattern.length(); i++) {
        if (pattern.startsWith("**", i)) {
          regex.append(".*");
          i++;
        } else if (pattern.charAt(i) == '*') {
          regex.append("[^.]*");
        } else {
          regex.append(Pattern.quote(pattern.substring(i, i + 1)));
        }
      }
      compiled.add(Pattern.compile(regex.append("(\\$.*)?").toString(), Pattern.DOTALL));
    }
    return compiled;
  }
}

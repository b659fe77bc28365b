package org.example.feed;

import static org.junit.Assert.assertEquals;

import java.net.URL;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Needs a server: {@code python3 -m http.server 8123} in a folder with a file {@code article}. */
public class FeedTest {
  private static final int ARTICLES = 6;
  private static final long MILLIS_TO_READ = 500;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Test
  public void loadsOnScroll() throws Exception {
    feed().loadOnScroll(ARTICLES, MILLIS_TO_READ);
    assertEquals(ARTICLES, folder.getRoot().list().length);
  }

  @Test
  public void loadsAhead() throws Exception {
    feed().loadAhead(ARTICLES, MILLIS_TO_READ);
    assertEquals(ARTICLES, folder.getRoot().list().length);
  }

  private Feed feed() throws Exception {
    return new Feed(new URL("http://127.0.0.1:8123/article"), folder.getRoot());
  }
}

package org.example.feed;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;

/** Loads articles from a server into a folder. */
final class Feed {
  private final URL article;
  private final File folder;

  Feed(URL article, File folder) {
    this.article = article;
    this.folder = folder;
  }

  /** Loads an article each time that the user scrolls. The radio stays awake for a while after each. */
  void loadOnScroll(int articles, long millisToRead) throws IOException, InterruptedException {
    for (int i = 0; i < articles; i++) {
      load(i);
      Thread.sleep(millisToRead);
    }
  }

  /** Loads all articles before the user reads them. The radio stays awake once. */
  void loadAhead(int articles, long millisToRead) throws IOException, InterruptedException {
    for (int i = 0; i < articles; i++) {
      load(i);
    }
    Thread.sleep(articles * millisToRead);
  }

  private void load(int number) throws IOException {
    byte[] block = new byte[8 << 10];
    try (InputStream in = article.openStream();
        OutputStream out = new FileOutputStream(new File(folder, number + ".article"))) {
      for (int count = in.read(block); count > 0; count = in.read(block)) {
        out.write(block, 0, count);
      }
    }
  }
}

package org.example.storage;

import android.content.Context;
import androidx.test.core.app.ApplicationProvider;
import androidx.test.ext.junit.runners.AndroidJUnit4;
import java.io.File;
import java.io.FileWriter;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.TreeMap;
import org.junit.Test;
import org.junit.runner.RunWith;

/** Runs the plan in FOLDER/plan.txt (lane, method, ms), and writes FOLDER/devices.txt with each use and its times. */
@RunWith(AndroidJUnit4.class)
public class DevicesTest {
  private static final File FOLDER = new File("@FOLDER@");

  @Test
  public void devices() throws Exception {
    Context app = ApplicationProvider.getApplicationContext();
    Devices devices = new Devices(app);
    Map<String, List<String[]>> lanes = new TreeMap<>();
    try (Scanner plan = new Scanner(new File(FOLDER, "plan.txt"))) {
      plan.nextLine();
      while (plan.hasNextLine()) {
        String[] words = plan.nextLine().split(" ");
        if (!lanes.containsKey(words[0])) lanes.put(words[0], new ArrayList<>());
        lanes.get(words[0]).add(words);
      }
    }
    List<Throwable> failures = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    long start = System.nanoTime();
    for (Map.Entry<String, List<String[]>> lane : lanes.entrySet()) {
      Thread thread = new Thread(() -> {
        try {
          for (String[] words : lane.getValue()) {
            Devices.class.getMethod(words[1], int.class).invoke(devices, Integer.parseInt(words[2]));
          }
        } catch (Exception e) {
          failures.add(e);
        }
      }, lane.getKey());
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) thread.join();
    if (!failures.isEmpty()) throw new AssertionError(failures.get(0));
    try (PrintWriter out = new PrintWriter(new FileWriter(new File(FOLDER, "devices.txt")))) {
      out.println("test - " + start + " " + System.nanoTime());
      for (String line : devices.log) out.println(line);
    }
  }
}

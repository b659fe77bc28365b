package org.navitas.android;

import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.robolectric.RuntimeEnvironment;

/**
 * Runs the app without tests. Executes requests from standard input, one per line. Writes the answer to each to {@code
 * navitas.stream}; its last line is {@code done} or {@code failed REASON}.
 *
 * <p>Requests: {@code activity CLASS}, {@code service CLASS}, {@code stopservice CLASS}, {@code monkey SEED COUNT
 * THROTTLE_MS CLASS}.
 */
public final class AppSession {
    private static PrintStream answers;

    private AppSession() {}

    /**
     * Runs until the end of standard input.
     *
     * @throws IOException if the stream cannot be opened or standard input cannot be read
     */
    public static void run() throws IOException {
        answers = new PrintStream(new FileOutputStream(System.getProperty("navitas.stream")), true, StandardCharsets.UTF_8);
        answers.println("done"); // the framework has started
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            try {
                request(line.split(" "));
                answers.println("done");
            } catch (IllegalArgumentException e) {
                answers.println("failed " + e.getMessage());
            }
        }
    }

    private static void request(String[] words) {
        Context app = RuntimeEnvironment.getApplication();
        switch (words[0]) {
            case "activity":
                launch(words[1]);
                break;
            case "service":
                app.startService(component(words[1]));
                break;
            case "stopservice":
                app.stopService(component(words[1]));
                break;
            case "monkey":
                int events = Integer.parseInt(words[2]);
                new Monkey(Long.parseLong(words[1]), Long.parseLong(words[3]), words[4]).run(events, answers::println);
                break;
            default:
                throw new IllegalArgumentException("unknown request " + words[0]);
        }
    }

    /** Brings an activity to the front as the launcher does; an activity that is in front stays as it is. */
    static void launch(String className) {
        Intent intent = component(className).setAction(Intent.ACTION_MAIN).addCategory(Intent.CATEGORY_LAUNCHER);
        intent.setFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        PhoneInstrumentation.get().runOnMainSync(() -> {
            if (Activities.top() == null || !Activities.top().getClass().getName().equals(className)) {
                Activities.start(intent, null, null, null, -1);
            }
        });
        PhoneInstrumentation.get().waitForIdleSync();
    }

    private static Intent component(String className) {
        return new Intent().setComponent(new ComponentName(RuntimeEnvironment.getApplication().getPackageName(), className));
    }
}

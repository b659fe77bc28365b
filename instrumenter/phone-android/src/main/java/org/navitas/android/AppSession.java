package org.navitas.android;

import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.util.Log;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.robolectric.RuntimeEnvironment;

/**
 * Runs the app without tests. Executes requests from standard input, one per line. Writes the answer to each to {@code
 * navitas.stream}; its last line is {@code done} or {@code failed REASON}.
 *
 * <p>Requests, with intents as URIs ({@link Intent#toUri}): {@code activity INTENT}, {@code service INTENT}, {@code
 * stopservice INTENT}, {@code broadcast INTENT}, {@code changed} (the phone's state), {@code key CODE_OR_NAME}, {@code
 * swipe X1 Y1 X2 Y2 MS}, {@code text URL_ENCODED}, {@code advance MS} (answers the number of alarms and jobs), {@code job
 * ID} (answers whether it exists), {@code monkey SEED COUNT THROTTLE_MS CLASS}. Each is
 * answered when the main thread is idle.
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
        answers = new PrintStream(
                new FileOutputStream(System.getProperty("navitas.stream")), true, StandardCharsets.UTF_8);
        answers.println("done"); // the framework has started
        answer(reader(System.in));
    }

    /** Executes requests to a process of tests, which answers nothing. Its standard input is empty for the tests. */
    static void listen() {
        BufferedReader input = reader(System.in);
        System.setIn(InputStream.nullInputStream());
        answers = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        Thread thread = new Thread(
                () -> {
                    while (!answerAll(input)) {
                        // The next request.
                    }
                },
                "binder:phone");
        thread.setDaemon(true);
        thread.start();
    }

    /** Executes requests up to the end, or to one whose callback throws, which is logged as in Android (Binder). */
    private static boolean answerAll(BufferedReader requests) {
        try {
            answer(requests);
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            Log.e("JavaBinder", "*** Uncaught remote exception!", e);
            return false;
        }
    }

    private static BufferedReader reader(InputStream input) {
        return new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
    }

    private static void answer(BufferedReader requests) throws IOException {
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            try {
                request(line.split(" ", -1)); // a text can be empty
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
                launch(intent(words[1]));
                break;
            case "service":
                app.startService(intent(words[1]));
                break;
            case "stopservice":
                app.stopService(intent(words[1]));
                break;
            case "broadcast":
                app.sendBroadcast(intent(words[1]));
                break;
            case "changed":
                PhoneChanges.deliver();
                break;
            case "key":
                Keys.press(words[1]);
                break;
            case "swipe":
                Touches.swipe(
                        Float.parseFloat(words[1]),
                        Float.parseFloat(words[2]),
                        Float.parseFloat(words[3]),
                        Float.parseFloat(words[4]),
                        Long.parseLong(words[5]));
                break;
            case "text":
                Touches.type(URLDecoder.decode(words[1], StandardCharsets.UTF_8));
                break;
            case "advance":
                answers.println(AlarmClock.advance(Long.parseLong(words[1])));
                break;
            case "job":
                answers.println(JobSchedulerShadow.run(Integer.parseInt(words[1])));
                JobRuns.await();
                break;
            case "monkey":
                int events = Integer.parseInt(words[2]);
                new Monkey(Long.parseLong(words[1]), Long.parseLong(words[3]), words[4]).run(events, answers::println);
                break;
            default:
                throw new IllegalArgumentException("unknown request " + words[0]);
        }
        PhoneInstrumentation.get().waitForIdleSync();
    }

    /** Brings an activity to the front as the launcher does. */
    static void launch(String className) {
        ComponentName component =
                new ComponentName(RuntimeEnvironment.getApplication().getPackageName(), className);
        launch(new Intent()
                .setComponent(component)
                .setAction(Intent.ACTION_MAIN)
                .addCategory(Intent.CATEGORY_LAUNCHER));
        PhoneInstrumentation.get().waitForIdleSync();
    }

    /** Starts an activity. One that is in front stays as it is if the intent has nothing for it. */
    private static void launch(Intent intent) {
        intent.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        boolean isPlain = intent.getExtras() == null && intent.getData() == null;
        PhoneInstrumentation.get().runOnMainSync(() -> {
            boolean isInFront = Activities.top() != null
                    && Activities.top()
                            .getClass()
                            .getName()
                            .equals(intent.getComponent().getClassName());
            if (!isPlain || !isInFront) {
                Activities.start(intent, null, null, null, -1);
            }
        });
    }

    private static Intent intent(String uri) {
        try {
            Intent intent = Intent.parseUri(uri, Intent.URI_INTENT_SCHEME);
            return uri.contains(";action=") ? intent : intent.setAction(null); // else parseUri makes it ACTION_VIEW
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("no intent: " + uri, e);
        }
    }
}

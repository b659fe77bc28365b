package org.navitas.phone;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.internal.TextListener;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.Result;
import org.junit.runner.Runner;
import org.junit.runner.notification.RunListener;

/** Runs or lists the selected tests with the user's JUnit 4. */
final class JUnit4Run {
    private final Arguments arguments;
    private final StatusPrinter printer;
    private final ClassLoader loader;

    JUnit4Run(Arguments arguments, StatusPrinter printer, ClassLoader loader) {
        this.arguments = arguments;
        this.printer = printer;
        this.loader = loader;
    }

    /** Runs the tests; throws what prevents the start. */
    void run() throws Exception {
        Runner runner = new JUnit4Selection(arguments, System.getProperty("navitas.testRoots", ""), loader).runner();
        InstrumentationListener progress = new InstrumentationListener(new TestProgress(printer));
        Result result;
        if (arguments.isListOnly()) {
            result = list(runner.getDescription(), progress);
        } else {
            JUnitCore core = new JUnitCore();
            core.addListener(progress);
            for (String name : arguments.listeners()) {
                core.addListener((RunListener) Class.forName(name, true, loader)
                        .getDeclaredConstructor()
                        .newInstance());
            }
            result = core.run(Request.runner(runner));
        }
        SortedMap<String, String> values = new TreeMap<>();
        values.put("stream", summary(result));
        printer.result(StatusPrinter.OK, values);
    }

    /** Reports every test as started and passed, without running it. */
    private static Result list(Description all, InstrumentationListener progress) throws Exception {
        Result result = new Result();
        RunListener counter = result.createListener();
        progress.testRunStarted(all);
        counter.testRunStarted(all);
        for (Description one : all.getChildren()) { // a description without children would look like a test
            list(one, progress, counter);
        }
        counter.testRunFinished(result);
        return result;
    }

    private static void list(Description description, RunListener... listeners) throws Exception {
        for (Description child : description.getChildren()) {
            list(child, listeners);
        }
        if (description.isTest()) {
            for (RunListener listener : listeners) {
                listener.testStarted(description);
                listener.testFinished(description);
            }
        }
    }

    private static String summary(Result result) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(text, true);
        new TextListener(out).testRunFinished(result);
        return text.toString();
    }
}

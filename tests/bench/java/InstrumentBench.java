import com.sun.management.OperatingSystemMXBean;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import org.jacoco.core.instr.Instrumenter;
import org.jacoco.core.runtime.OfflineInstrumentationAccessGenerator;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.run.BulkInstrumenter;

/**
 * Instruments a jar repeatedly, in turns with JaCoCo, with Navitas, and with Navitas and hooks. Prints one line per round: wall
 * and CPU milliseconds of JaCoCo and the number of classes that it instrumented, then the same for the others.
 */
final class InstrumentBench {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Instruments all classes and returns the number of instrumented ones. */
    private interface Work {
        int run() throws Exception;
    }

    private InstrumentBench() {}

    public static void main(String[] arguments) throws Exception {
        Path jar = Paths.get(arguments[0]);
        Path folder = Paths.get(arguments[1]);
        int rounds = Integer.parseInt(arguments[2]);
        Instrumenter jacoco = new Instrumenter(new OfflineInstrumentationAccessGenerator());
        for (int round = 0; round < rounds; round++) {
            // Another output and map each time, so that nothing of the round before is reused.
            Path output = folder.resolve(round + ".jar");
            Path map = folder.resolve(round + ".json");
            String theirs = measured(() -> {
                try (InputStream in = Files.newInputStream(jar);
                        OutputStream out = Files.newOutputStream(folder.resolve("jacoco.jar"))) {
                    return jacoco.instrumentAll(in, out, jar.toString());
                }
            });
            String ours = measured(() -> BulkInstrumenter.run(
                            Arrays.asList(new Input(jar, output, Input.MAIN, ":")), Options.defaults(), map)
                    .rewritten());
            Files.delete(output);
            Options hooks = Options.builder().hooks(true, false).build();
            Path hookedMap = folder.resolve(round + "-hooked.json");
            String hooked = measured(() -> BulkInstrumenter.run(
                            Arrays.asList(new Input(jar, output, Input.MAIN, ":")), hooks, hookedMap)
                    .rewritten());
            System.out.println(theirs + " " + ours + " " + hooked);
            Files.delete(output);
        }
    }

    private static String measured(Work work) throws Exception {
        long cpu = SYSTEM.getProcessCpuTime();
        long start = System.nanoTime();
        int classes = work.run();
        long end = System.nanoTime();
        return (end - start) / 1e6 + " " + (SYSTEM.getProcessCpuTime() - cpu) / 1e6 + " " + classes;
    }
}

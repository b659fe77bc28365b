import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import org.jacoco.core.instr.Instrumenter;
import org.jacoco.core.runtime.OfflineInstrumentationAccessGenerator;
import org.navitas.instrument.BulkInstrumenter;
import org.navitas.instrument.Input;
import org.navitas.instrument.Options;
import org.navitas.instrument.Summary;

/** Instruments a jar again and again, JaCoCo's and our way in turn; prints the milliseconds of each, one round a line. */
final class InstrumentBench {
    public static void main(String[] arguments) throws Exception {
        Path jar = Paths.get(arguments[0]);
        Path folder = Paths.get(arguments[1]);
        int rounds = Integer.parseInt(arguments[2]);
        Instrumenter jacoco = new Instrumenter(new OfflineInstrumentationAccessGenerator());
        for (int round = 0; round < rounds; round++) {
            long start = System.nanoTime();
            int theirs;
            try (InputStream in = Files.newInputStream(jar); OutputStream out = Files.newOutputStream(folder.resolve("jacoco.jar"))) {
                theirs = jacoco.instrumentAll(in, out, jar.toString());
            }
            long middle = System.nanoTime();
            // Another output and map each time, so that nothing of the round before is reused.
            Path output = folder.resolve(round + ".jar");
            Summary ours = BulkInstrumenter.run(
                Arrays.asList(new Input(jar, output, Input.MAIN, ":")), Options.defaults(), folder.resolve(round + ".json"));
            long end = System.nanoTime();
            System.out.println((middle - start) / 1e6 + " " + (end - middle) / 1e6 + " " + theirs + " " + ours.rewritten());
            Files.delete(output);
        }
    }
}

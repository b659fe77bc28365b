import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

/** Works once for each line of its input, and prints the CPU nanoseconds: calls of depth 20, arrays and maps. */
public class SampledWork {
    static volatile long sink;

    public static void main(String[] words) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            long begin = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            work(Integer.parseInt(line));
            System.out.println(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begin);
        }
    }

    static void work(int rounds) {
        int[] numbers = new int[2000];
        for (int round = 0; round < rounds; round++) {
            long sum = down(20, numbers);
            numbers[round % numbers.length] = (int) sum;
            sink = round % 50 == 0 ? words() : sum;
        }
    }

    static long down(int depth, int[] numbers) {
        return depth == 0 ? sum(numbers) : down(depth - 1, numbers) + (numbers[depth] & 1);
    }

    static long sum(int[] numbers) {
        long sum = 0;
        for (int i = 0; i < numbers.length; i++) {
            sum = sum * 31 + (numbers[i] ^ i);
        }
        return sum;
    }

    static long words() {
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < 2000; i++) {
            counts.merge("word" + i % 500, i, Integer::sum);
        }
        return counts.hashCode();
    }
}

package org.navitas.instrument.probes;

import java.util.Arrays;
import org.navitas.instrument.code.NaturalLoops;

/**
 * Estimates how often blocks run in a call: loops go on more often than not, and conditions of forward jumps are seldom
 * true (compare Ball and Larus 1993, doi:10.1145/155090.155119).
 */
final class BlockFrequencies {
    private static final double HANDLER = 0.01;
    private static final double ROUNDS = 8;
    /** How much likelier it is to stay in a loop than to leave it, and to go on with the next block than to jump. */
    private static final double STAYS = 7;

    private static final double GOES_ON = 1.5;

    /** By block. */
    final double[] ofBlock;
    /** By block and its successors. */
    final double[][] ofSuccessors;

    BlockFrequencies(int[][] successors, boolean[] isEntered) {
        int count = successors.length;
        ofBlock = new double[count];
        ofSuccessors = new double[count][];
        NaturalLoops loops = NaturalLoops.of(successors);
        int[] depths = loops.depths();
        int[] placeOf = new int[count];
        for (int i = 0; i < count; i++) {
            placeOf[loops.order[i]] = i;
        }
        for (int block : loops.order) {
            ofBlock[block] += block == 0 ? 1 : isEntered[block] ? HANDLER : 0;
            ofBlock[block] *= loops.isHeader(block) ? ROUNDS : 1;
            double[] shares = new double[successors[block].length];
            for (int i = 0; i < shares.length; i++) {
                int next = successors[block][i];
                shares[i] = (depths[next] < depths[block] ? 1 : STAYS) * (next == block + 1 ? GOES_ON : 1);
            }
            double all = Arrays.stream(shares).sum();
            for (int i = 0; i < shares.length; i++) {
                int next = successors[block][i];
                shares[i] *= ofBlock[block] / all;
                ofBlock[next] += placeOf[next] > placeOf[block] ? shares[i] : 0;
            }
            ofSuccessors[block] = shares;
        }
    }
}

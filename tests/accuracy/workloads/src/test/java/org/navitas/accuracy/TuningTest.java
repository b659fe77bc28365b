package org.navitas.accuracy;

import org.junit.Test;

/** Workloads for tuning the estimate. Only {@link ScoreTest} is scored. */
public class TuningTest {
    @Test
    public void steady() {
        Work.burn(3_000);
    }

    @Test
    public void halfIdle() throws InterruptedException {
        for (int i = 0; i < 40; i++) {
            Work.burn(40);
            Work.pause(40);
        }
    }

    @Test
    public void twoThreads() throws InterruptedException {
        Work.together(() -> Work.burn(2_000), () -> Work.burn(1_000));
    }
}

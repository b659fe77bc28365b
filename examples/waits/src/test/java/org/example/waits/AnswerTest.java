package org.example.waits;

import static org.junit.Assert.assertNotEquals;

import org.junit.Test;

public class AnswerTest {
    @Test
    public void readsTheAnswer() throws InterruptedException {
        assertNotEquals(0, Answer.read());
    }
}

package scenario;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import kotlin.Unit;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.CoroutineDispatcher;
import kotlinx.coroutines.CoroutineStart;
import kotlinx.coroutines.Dispatchers;
import kotlinx.coroutines.ExecutorsKt;
import kotlinx.coroutines.GlobalScope;

/** Runs work of coroutines on other threads, and returns how many pieces. */
public class CoroutineUse implements Supplier<Integer> {
    @Override
    public Integer get() {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        CoroutineDispatcher[] dispatchers = {Dispatchers.getDefault(), Dispatchers.getIO(), ExecutorsKt.from(pool)};
        CountDownLatch ran = new CountDownLatch(dispatchers.length + 1);
        for (CoroutineDispatcher dispatcher : dispatchers) {
            BuildersKt.launch(GlobalScope.INSTANCE, dispatcher, CoroutineStart.DEFAULT, (scope, continuation) -> {
                ran.countDown();
                return Unit.INSTANCE;
            });
        }
        dispatchers[2].dispatch(EmptyCoroutineContext.INSTANCE, ran::countDown);
        try {
            ran.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        pool.shutdown();
        while (!pool.isTerminated()) {
            Thread.yield();
        }
        return dispatchers.length + 1 + 1; // Dispatchers.IO also hands over a worker of its own
    }
}

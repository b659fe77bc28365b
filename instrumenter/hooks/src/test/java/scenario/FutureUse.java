package scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;

/** Uses each method of futures that runs work on another thread. */
public class FutureUse implements Function<ExecutorService, List<String>> {
    /** How many pieces of work run elsewhere. */
    public static final int HANDED_OVER = 4 + 2 * 7 + 7 + 1;

    @Override
    public List<String> apply(ExecutorService pool) {
        List<String> out = new ArrayList<>();
        StringBuffer seen = new StringBuffer();
        out.add(CompletableFuture.supplyAsync(() -> "supplied").join());
        CompletableFuture.runAsync(() -> seen.append("ran ")).join();
        CompletableFuture<String> one = CompletableFuture.supplyAsync(() -> "one", pool);
        CompletableFuture.runAsync(() -> seen.append("again "), pool).join();
        out.add(String.valueOf(one.thenApplyAsync(String::length).join()));
        out.add(String.valueOf(one.thenApplyAsync(String::length, pool).join()));
        one.thenAcceptAsync(seen::append).join();
        one.thenAcceptAsync(seen::append, pool).join();
        one.thenRunAsync(() -> seen.append(" run")).join();
        one.thenRunAsync(() -> seen.append(" run"), pool).join();
        out.add(one.thenComposeAsync(text -> CompletableFuture.completedFuture(text + 1))
                .join());
        out.add(one.thenComposeAsync(text -> CompletableFuture.completedFuture(text + 2), pool)
                .join());
        out.add(one.thenCombineAsync(one, String::concat).join());
        out.add(one.thenCombineAsync(one, String::concat, pool).join());
        out.add(one.whenCompleteAsync((text, failure) -> seen.append(text).append(failure))
                .join());
        out.add(one.whenCompleteAsync((text, failure) -> seen.append(text).append(failure), pool)
                .join());
        out.add(one.handleAsync((text, failure) -> text + failure).join());
        out.add(one.handleAsync((text, failure) -> text + failure, pool).join());
        CompletionStage<String> stage = one;
        out.add(String.valueOf(
                stage.thenApplyAsync(String::length, pool).toCompletableFuture().join()));
        stage.thenAcceptAsync(seen::append).toCompletableFuture().join();
        stage.thenRunAsync(() -> seen.append(" stage")).toCompletableFuture().join();
        out.add(stage.thenComposeAsync(text -> CompletableFuture.completedFuture(text + 3))
                .toCompletableFuture()
                .join());
        out.add(stage.thenCombineAsync(stage, String::concat)
                .toCompletableFuture()
                .join());
        out.add(stage.whenCompleteAsync((text, failure) -> seen.append(text))
                .toCompletableFuture()
                .join());
        out.add(stage.handleAsync((text, failure) -> text + failure, pool)
                .toCompletableFuture()
                .join());
        try {
            CompletableFuture.completedFuture(null)
                    .thenApplyAsync(nothing -> nothing.toString())
                    .join();
        } catch (CompletionException e) {
            out.add(e.getCause().getClass().getName());
        }
        try {
            CompletableFuture.supplyAsync(null);
        } catch (NullPointerException e) {
            out.add("null is refused");
        }
        out.add(seen.toString());
        return out;
    }
}

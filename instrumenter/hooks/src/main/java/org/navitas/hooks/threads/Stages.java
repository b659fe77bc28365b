package org.navitas.hooks.threads;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.navitas.hooks.base.NewerPlatform;

/** Hooks of futures that run work on another thread: it carries where the stage was made. */
@NewerPlatform
public final class Stages {
    private Stages() {}

    /** Hook of {@link CompletableFuture#thenApplyAsync(Function)}. */
    public static <T, U> CompletableFuture<U> thenApplyAsync(
            CompletableFuture<T> stage, Function<? super T, ? extends U> work) {
        return stage.thenApplyAsync(HandedStage.of(work));
    }

    /** Hook of {@link CompletableFuture#thenApplyAsync(Function, Executor)}. */
    public static <T, U> CompletableFuture<U> thenApplyAsync(
            CompletableFuture<T> stage, Function<? super T, ? extends U> work, Executor executor) {
        return stage.thenApplyAsync(HandedStage.of(work), executor);
    }

    /** Hook of {@link CompletionStage#thenApplyAsync(Function)}. */
    public static <T, U> CompletionStage<U> thenApplyAsync(
            CompletionStage<T> stage, Function<? super T, ? extends U> work) {
        return stage.thenApplyAsync(HandedStage.of(work));
    }

    /** Hook of {@link CompletionStage#thenApplyAsync(Function, Executor)}. */
    public static <T, U> CompletionStage<U> thenApplyAsync(
            CompletionStage<T> stage, Function<? super T, ? extends U> work, Executor executor) {
        return stage.thenApplyAsync(HandedStage.of(work), executor);
    }

    /** Hook of {@link CompletableFuture#thenAcceptAsync(Consumer)}. */
    public static <T> CompletableFuture<Void> thenAcceptAsync(CompletableFuture<T> stage, Consumer<? super T> work) {
        return stage.thenAcceptAsync(HandedStage.of(work));
    }

    /** Hook of {@link CompletableFuture#thenAcceptAsync(Consumer, Executor)}. */
    public static <T> CompletableFuture<Void> thenAcceptAsync(
            CompletableFuture<T> stage, Consumer<? super T> work, Executor executor) {
        return stage.thenAcceptAsync(HandedStage.of(work), executor);
    }

    /** Hook of {@link CompletionStage#thenAcceptAsync(Consumer)}. */
    public static <T> CompletionStage<Void> thenAcceptAsync(CompletionStage<T> stage, Consumer<? super T> work) {
        return stage.thenAcceptAsync(HandedStage.of(work));
    }

    /** Hook of {@link CompletionStage#thenAcceptAsync(Consumer, Executor)}. */
    public static <T> CompletionStage<Void> thenAcceptAsync(
            CompletionStage<T> stage, Consumer<? super T> work, Executor executor) {
        return stage.thenAcceptAsync(HandedStage.of(work), executor);
    }

    /** Hook of {@link CompletableFuture#thenRunAsync(Runnable)}. */
    public static <T> CompletableFuture<Void> thenRunAsync(CompletableFuture<T> stage, Runnable work) {
        return stage.thenRunAsync(HandedStage.of(work));
    }

    /** Hook of {@link CompletableFuture#thenRunAsync(Runnable, Executor)}. */
    public static <T> CompletableFuture<Void> thenRunAsync(
            CompletableFuture<T> stage, Runnable work, Executor executor) {
        return stage.thenRunAsync(HandedStage.of(work), executor);
    }

    /** Hook of {@link CompletionStage#thenRunAsync(Runnable)}. */
    public static <T> CompletionStage<Void> thenRunAsync(CompletionStage<T> stage, Runnable work) {
        return stage.thenRunAsync(HandedStage.of(work));
    }

    /** Hook of {@link CompletionStage#thenRunAsync(Runnable, Executor)}. */
    public static <T> CompletionStage<Void> thenRunAsync(CompletionStage<T> stage, Runnable work, Executor executor) {
        return stage.thenRunAsync(HandedStage.of(work), executor);
    }

    /** Hook of {@link CompletableFuture#thenComposeAsync(Function)}. */
    public static <T, U> CompletableFuture<U> thenComposeAsync(
            CompletableFuture<T> stage, Function<? super T, ? extends CompletionStage<U>> work) {
        return stage.thenComposeAsync(HandedStage.of(work));
    }

    /** Hook of {@link CompletableFuture#thenComposeAsync(Function, Executor)}. */
    public static <T, U> CompletableFuture<U> thenComposeAsync(
            CompletableFuture<T> stage, Function<? super T, ? extends CompletionStage<U>> work, Executor executor) {
        return stage.thenComposeAsync(HandedStage.of(work), executor);
    }

    /** Hook of {@link CompletionStage#thenComposeAsync(Function)}. */
    public static <T, U> CompletionStage<U> thenComposeAsync(
            CompletionStage<T> stage, Function<? super T, ? extends CompletionStage<U>> work) {
        return stage.thenComposeAsync(HandedStage.of(work));
    }

    /** Hook of {@link CompletionStage#thenComposeAsync(Function, Executor)}. */
    public static <T, U> CompletionStage<U> thenComposeAsync(
            CompletionStage<T> stage, Function<? super T, ? extends CompletionStage<U>> work, Executor executor) {
        return stage.thenComposeAsync(HandedStage.of(work), executor);
    }

    /** Hook of {@link CompletableFuture#thenCombineAsync(CompletionStage, BiFunction)}. */
    public static <T, U, V> CompletableFuture<V> thenCombineAsync(
            CompletableFuture<T> stage,
            CompletionStage<? extends U> other,
            BiFunction<? super T, ? super U, ? extends V> work) {
        return stage.thenCombineAsync(other, HandedStage.of(work));
    }

    /** Hook of {@link CompletableFuture#thenCombineAsync(CompletionStage, BiFunction, Executor)}. */
    public static <T, U, V> CompletableFuture<V> thenCombineAsync(
            CompletableFuture<T> stage,
            CompletionStage<? extends U> other,
            BiFunction<? super T, ? super U, ? extends V> work,
            Executor executor) {
        return stage.thenCombineAsync(other, HandedStage.of(work), executor);
    }

    /** Hook of {@link CompletionStage#thenCombineAsync(CompletionStage, BiFunction)}. */
    public static <T, U, V> CompletionStage<V> thenCombineAsync(
            CompletionStage<T> stage,
            CompletionStage<? extends U> other,
            BiFunction<? super T, ? super U, ? extends V> work) {
        return stage.thenCombineAsync(other, HandedStage.of(work));
    }

    /** Hook of {@link CompletionStage#thenCombineAsync(CompletionStage, BiFunction, Executor)}. */
    public static <T, U, V> CompletionStage<V> thenCombineAsync(
            CompletionStage<T> stage,
            CompletionStage<? extends U> other,
            BiFunction<? super T, ? super U, ? extends V> work,
            Executor executor) {
        return stage.thenCombineAsync(other, HandedStage.of(work), executor);
    }

    /** Hook of {@link CompletableFuture#whenCompleteAsync(BiConsumer)}. */
    public static <T> CompletableFuture<T> whenCompleteAsync(
            CompletableFuture<T> stage, BiConsumer<? super T, ? super Throwable> work) {
        return stage.whenCompleteAsync(HandedStage.of(work));
    }

    /** Hook of {@link CompletableFuture#whenCompleteAsync(BiConsumer, Executor)}. */
    public static <T> CompletableFuture<T> whenCompleteAsync(
            CompletableFuture<T> stage, BiConsumer<? super T, ? super Throwable> work, Executor executor) {
        return stage.whenCompleteAsync(HandedStage.of(work), executor);
    }

    /** Hook of {@link CompletionStage#whenCompleteAsync(BiConsumer)}. */
    public static <T> CompletionStage<T> whenCompleteAsync(
            CompletionStage<T> stage, BiConsumer<? super T, ? super Throwable> work) {
        return stage.whenCompleteAsync(HandedStage.of(work));
    }

    /** Hook of {@link CompletionStage#whenCompleteAsync(BiConsumer, Executor)}. */
    public static <T> CompletionStage<T> whenCompleteAsync(
            CompletionStage<T> stage, BiConsumer<? super T, ? super Throwable> work, Executor executor) {
        return stage.whenCompleteAsync(HandedStage.of(work), executor);
    }

    /** Hook of {@link CompletableFuture#handleAsync(BiFunction)}. */
    public static <T, U> CompletableFuture<U> handleAsync(
            CompletableFuture<T> stage, BiFunction<? super T, Throwable, ? extends U> work) {
        return stage.handleAsync(HandedStage.of(work));
    }

    /** Hook of {@link CompletableFuture#handleAsync(BiFunction, Executor)}. */
    public static <T, U> CompletableFuture<U> handleAsync(
            CompletableFuture<T> stage, BiFunction<? super T, Throwable, ? extends U> work, Executor executor) {
        return stage.handleAsync(HandedStage.of(work), executor);
    }

    /** Hook of {@link CompletionStage#handleAsync(BiFunction)}. */
    public static <T, U> CompletionStage<U> handleAsync(
            CompletionStage<T> stage, BiFunction<? super T, Throwable, ? extends U> work) {
        return stage.handleAsync(HandedStage.of(work));
    }

    /** Hook of {@link CompletionStage#handleAsync(BiFunction, Executor)}. */
    public static <T, U> CompletionStage<U> handleAsync(
            CompletionStage<T> stage, BiFunction<? super T, Throwable, ? extends U> work, Executor executor) {
        return stage.handleAsync(HandedStage.of(work), executor);
    }

    /** Hook of {@link CompletableFuture#supplyAsync(Supplier)}. */
    public static <T> CompletableFuture<T> supplyAsync(Supplier<T> work) {
        return CompletableFuture.supplyAsync(HandedStage.of(work));
    }

    /** Hook of {@link CompletableFuture#supplyAsync(Supplier, Executor)}. */
    public static <T> CompletableFuture<T> supplyAsync(Supplier<T> work, Executor executor) {
        return CompletableFuture.supplyAsync(HandedStage.of(work), executor);
    }

    /** Hook of {@link CompletableFuture#runAsync(Runnable)}. */
    public static CompletableFuture<Void> runAsync(Runnable work) {
        return CompletableFuture.runAsync(HandedStage.of(work));
    }

    /** Hook of {@link CompletableFuture#runAsync(Runnable, Executor)}. */
    public static CompletableFuture<Void> runAsync(Runnable work, Executor executor) {
        return CompletableFuture.runAsync(HandedStage.of(work), executor);
    }
}

package org.navitas.hooks.threads;

import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.navitas.hooks.base.NewerPlatform;
import org.navitas.runtime.Hook;

/** Work of a future's stage that carries where it was handed over. */
@NewerPlatform
abstract class HandedStage {
    private final long[] origin = Hook.origin();

    static Runnable of(Runnable work) {
        return Handed.of(work);
    }

    static <T> Supplier<T> of(Supplier<T> work) {
        return work == null ? null : new Supply<>(work);
    }

    static <T, U> Function<T, U> of(Function<? super T, ? extends U> work) {
        return work == null ? null : new Apply<>(work);
    }

    static <T, U, V> BiFunction<T, U, V> of(BiFunction<? super T, ? super U, ? extends V> work) {
        return work == null ? null : new Combine<>(work);
    }

    static <T> Consumer<T> of(Consumer<? super T> work) {
        return work == null ? null : new Accept<>(work);
    }

    static <T, U> BiConsumer<T, U> of(BiConsumer<? super T, ? super U> work) {
        return work == null ? null : new Complete<>(work);
    }

    final void ran(long start) {
        Hook.handedOver(origin, start);
    }

    @NewerPlatform
    private static final class Supply<T> extends HandedStage implements Supplier<T> {
        private final Supplier<T> work;

        Supply(Supplier<T> work) {
            this.work = work;
        }

        @Override
        public T get() {
            long start = Hook.now();
            try {
                return work.get();
            } finally {
                ran(start);
            }
        }
    }

    @NewerPlatform
    private static final class Apply<T, U> extends HandedStage implements Function<T, U> {
        private final Function<? super T, ? extends U> work;

        Apply(Function<? super T, ? extends U> work) {
            this.work = work;
        }

        @Override
        public U apply(T value) {
            long start = Hook.now();
            try {
                return work.apply(value);
            } finally {
                ran(start);
            }
        }
    }

    @NewerPlatform
    private static final class Combine<T, U, V> extends HandedStage implements BiFunction<T, U, V> {
        private final BiFunction<? super T, ? super U, ? extends V> work;

        Combine(BiFunction<? super T, ? super U, ? extends V> work) {
            this.work = work;
        }

        @Override
        public V apply(T first, U second) {
            long start = Hook.now();
            try {
                return work.apply(first, second);
            } finally {
                ran(start);
            }
        }
    }

    @NewerPlatform
    private static final class Accept<T> extends HandedStage implements Consumer<T> {
        private final Consumer<? super T> work;

        Accept(Consumer<? super T> work) {
            this.work = work;
        }

        @Override
        public void accept(T value) {
            long start = Hook.now();
            try {
                work.accept(value);
            } finally {
                ran(start);
            }
        }
    }

    @NewerPlatform
    private static final class Complete<T, U> extends HandedStage implements BiConsumer<T, U> {
        private final BiConsumer<? super T, ? super U> work;

        Complete(BiConsumer<? super T, ? super U> work) {
            this.work = work;
        }

        @Override
        public void accept(T first, U second) {
            long start = Hook.now();
            try {
                work.accept(first, second);
            } finally {
                ran(start);
            }
        }
    }
}

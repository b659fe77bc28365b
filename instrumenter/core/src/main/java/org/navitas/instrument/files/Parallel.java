package org.navitas.instrument.files;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Applies a function to many items in parallel. */
public final class Parallel {
    private Parallel() {}

    /** The function for one item; called from several threads at once. */
    public interface Work<T, R> {
        R on(T item) throws InstrumentException;
    }

    private static final class Outcome<R> {
        final R result;
        final InstrumentException failure;

        Outcome(R result, InstrumentException failure) {
            this.result = result;
            this.failure = failure;
        }
    }

    /** Returns the results in the order of the items; throws the exception of the first item that failed. */
    public static <T, R> List<R> map(Collection<T> items, Work<T, R> work) throws InstrumentException {
        List<Outcome<R>> outcomes =
                items.parallelStream().map(item -> outcome(item, work)).collect(Collectors.toList());
        List<R> results = new ArrayList<>();
        for (Outcome<R> outcome : outcomes) {
            if (outcome.failure != null) {
                throw outcome.failure;
            }
            results.add(outcome.result);
        }
        return results;
    }

    private static <T, R> Outcome<R> outcome(T item, Work<T, R> work) {
        try {
            return new Outcome<>(work.on(item), null);
        } catch (InstrumentException e) {
            return new Outcome<>(null, e);
        }
    }
}

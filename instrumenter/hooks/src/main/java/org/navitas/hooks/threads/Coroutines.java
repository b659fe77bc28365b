package org.navitas.hooks.threads;

import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.CoroutineDispatcher;

/** Hooks of dispatchers of Kotlin's coroutines: what a coroutine does next carries where it was dispatched. */
public final class Coroutines {
    private Coroutines() {}

    /** Hook of {@link CoroutineDispatcher#dispatch}. */
    public static void dispatch(CoroutineDispatcher dispatcher, CoroutineContext context, Runnable block) {
        dispatcher.dispatch(context, Handed.of(block));
    }
}

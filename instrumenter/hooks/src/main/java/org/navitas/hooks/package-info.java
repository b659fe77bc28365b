/**
 * Hooks: what the instrumenter calls or creates in place of methods and classes of the platform ({@code hooks.txt} lists
 * the pairs). A hook does what the platform does, with the same results and exceptions, and records the call ({@link
 * org.navitas.runtime.Hook}). If a line of the table says how it records, the module hooks-generator generates it: for
 * those, a package has classes of what they use, such as {@code LocationUse}. No dependencies besides the runtime, Java 8
 * bytecode, Android API 21 classes.
 *
 * <p>Hooks of one subject are a package. Packages import {@code base}; {@code network} also {@code files}; {@code work}
 * and {@code providers} also {@code intents}. Only {@link org.navitas.hooks.Tables} imports all.
 *
 * <p>Bytes are counted once, at the stream or channel that reaches the device. A stream of the platform over a counted
 * one is therefore counted, too.
 */
package org.navitas.hooks;

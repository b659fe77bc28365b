package androidx.work;

/** As in androidx. */
public interface Operation {}

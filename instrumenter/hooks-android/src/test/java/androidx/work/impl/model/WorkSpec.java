package androidx.work.impl.model;

/** As in androidx. */
public class WorkSpec {
    public String workerClassName;
    public long intervalDuration;
}

package androidx.work.impl.model;

/** What a request asks for. For the compiler only: the app has the class. */
public class WorkSpec {
    public String workerClassName;
    public long intervalDuration;
}

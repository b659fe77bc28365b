"""Read recordings of the JDK Flight Recorder's format (JFR), as async-profiler and JDKs write them."""

package org.navitas.bench;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicInteger;
import org.navitas.runtime.Probe;

/** A small method to call. */
public abstract class Callee {
    private static final AtomicInteger IDS = new AtomicInteger(1);

    public abstract int call(int x);

    /** Returns the next method id. */
    public static int nextId() {
        return IDS.getAndIncrement();
    }

    /** The call without probes. */
    public static final class Plain extends Callee {
        @Override
        public int call(int x) {
            return x + 1;
        }
    }

    /** The lower bound: a clock reading at entry and one at exit. */
    public static final class Clock extends Callee {
        @Override
        public int call(int x) {
            long enter = System.nanoTime();
            int result = x + 1;
            return result + (int) (System.nanoTime() - enter >>> 62);
        }
    }

    /** {@link Plain} with the probes that the instrumenter adds. */
    public static final class Probed extends Callee {
        private static final int ID = nextId();

        @Override
        public int call(int x) {
            Probe.enter(ID);
            try {
                int result = x + 1;
                Probe.exit(ID);
                return result;
            } catch (Throwable e) {
                Probe.thrown(ID);
                throw e;
            }
        }
    }

    /** Loads {@code count} copies of a class, each with its own method id. */
    static Callee[] copies(Class<? extends Callee> original, int count) throws Exception {
        Callee[] copies = new Callee[count];
        for (int i = 0; i < count; i++) {
            copies[i] = (Callee) new Copier(original.getName())
                    .loadClass(original.getName())
                    .getDeclaredConstructor()
                    .newInstance();
        }
        return copies;
    }

    /** Defines one class again; its parent loads all others. */
    private static final class Copier extends ClassLoader {
        private final String copied;

        Copier(String copied) {
            super(Callee.class.getClassLoader());
            this.copied = copied;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals(copied) ? define() : super.loadClass(name, resolve);
        }

        private Class<?> define() throws ClassNotFoundException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (InputStream in = getResourceAsStream(copied.replace('.', '/') + ".class")) {
                for (int b = in.read(); b >= 0; b = in.read()) {
                    bytes.write(b);
                }
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(copied, e);
            }
            return defineClass(copied, bytes.toByteArray(), 0, bytes.size());
        }
    }
}

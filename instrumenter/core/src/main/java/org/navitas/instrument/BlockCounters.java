package org.navitas.instrument;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import javassist.bytecode.BadBytecode;
import javassist.bytecode.ByteArray;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.ConstPool;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;
import javassist.bytecode.StackMapTable;

/**
 * Adds counters of executions to the blocks of methods, where {@link CounterPlacement} puts them. A method gets the
 * calling thread's array of its counters when it is entered, in a local variable after all others. Each counted block
 * adds 1 to its element at its start, before anything that can throw.
 */
final class BlockCounters implements CodeProbes {
  /** The most counters of a method, for which the runtime has a spare array. */
  static final int MOST_COUNTERS = 8192;
  private static final String PROBE = "org.navitas.runtime.BlockProbe";
  /** Values that counting adds to the stack: an array and an index, both twice, and two numbers of two words. */
  private static final int STACK = 6;
  private static final int FETCH_STACK = 2;
  private static final int MAX_U2 = 65535;
  /** The most entries of all full frames. Compilers need fewer. */
  private static final int MOST_ENTRIES = 1 << 22;

  private final ConstPool pool;
  private final int count;
  private final int array;
  private final Map<String, CounterPlacement> placements;

  /**
   * Adds all constants that counters of these methods need, except the ids.
   *
   * @param placements the counters of methods whose blocks were edited, by name and descriptor
   */
  BlockCounters(ClassFile file, Collection<MethodInfo> methods, Map<String, CounterPlacement> placements)
      throws MalformedClassException {
    this.placements = placements;
    pool = file.getConstPool();
    count = pool.addMethodrefInfo(pool.addClassInfo(PROBE), "count", "(II)[J");
    array = pool.addClassInfo("[J");
    pool.addUtf8Info(StackMapTable.tag);
    for (MethodInfo method : methods) {
      if (framesOf(method.getCodeAttribute()) != null) {
        GrownFrames.addConstants(method);
      }
    }
  }

  /** Returns the most constants that the constructor can add for these methods, beyond those of any probes. */
  static int constants(Collection<MethodInfo> methods) {
    return methods.stream().mapToInt(method -> framesOf(method.getCodeAttribute()) == null ? 0 : GrownFrames.constants(method)).sum();
  }

  @Override
  public String add(MethodInfo method, CodeScan scan, int id) throws MalformedClassException, BadBytecode {
    CodeAttribute code = method.getCodeAttribute();
    try {
      BasicBlocks blocks = BasicBlocks.of(code);
      int[] starts = blocks.blocks().stream().mapToInt(block -> block.firstPc).toArray();
      CounterPlacement placement = placements.get(key(method));
      return add(method, scan, placement == null ? CounterPlacement.of(code, blocks) : placement, starts, id);
    } catch (InstrumentException e) {
      return Skipped.MALFORMED;
    }
  }

  /** Returns the counters of all methods of a class file, by name and descriptor. */
  static Map<String, CounterPlacement> placements(byte[] original) throws InstrumentException {
    Map<String, CounterPlacement> found = new HashMap<>();
    try {
      for (MethodInfo method : new ClassFile(new DataInputStream(new ByteSource(original))).getMethods()) {
        if (method.getCodeAttribute() != null) {
          found.put(key(method), CounterPlacement.of(method.getCodeAttribute(), BasicBlocks.of(method.getCodeAttribute())));
        }
      }
      return found;
    } catch (IOException e) {
      throw new InstrumentException(String.valueOf(e.getMessage()), e);
    }
  }

  private static String key(MethodInfo method) {
    return method.getName() + method.getDescriptor();
  }

  /**
   * Adds counters to blocks whose code may have been edited.
   *
   * @param placement the counters of the original blocks
   * @param starts the offset at which each original block starts now; each is another one
   */
  String add(MethodInfo method, CodeScan scan, CounterPlacement placement, int[] starts, int id)
      throws MalformedClassException, BadBytecode {
    CodeAttribute code = method.getCodeAttribute();
    int local = code.getMaxLocals();
    int counters = placement.counters();
    if (local >= MAX_U2 || code.getMaxStack() + STACK > MAX_U2 || counters > MOST_COUNTERS) {
      return Skipped.TOO_LARGE;
    }
    byte[][] inserted = new byte[scan.length()][];
    for (int block = 0; block < starts.length; block++) {
      if (placement.counterOf(block) >= 0) {
        inserted[starts[block]] = counter(local, placement.counterOf(block));
      }
    }
    CodeGrowth growth = CodeGrowth.of(code, scan, fetch(id, counters, local), inserted);
    if (growth == null) {
      return Skipped.TOO_LARGE;
    }
    StackMapTable frames = framesOf(code);
    if (frames != null && (long) FrameOffsets.of(frames).count * (local + 1) > MOST_ENTRIES) {
      return Skipped.TOO_LARGE;
    }
    StackMapTable grown = frames == null ? null : GrownFrames.of(frames, method, growth, array);
    if (frames != null && grown == null) {
      return Skipped.MALFORMED;
    }
    CodeAttribute made = growth.apply(code, Math.max(code.getMaxStack() + STACK, FETCH_STACK), local + 1);
    if (grown != null) {
      made.getAttributes().add(grown);
    }
    method.setCodeAttribute(made);
    return null;
  }

  private static StackMapTable framesOf(CodeAttribute code) {
    return (StackMapTable) code.getAttribute(StackMapTable.tag);
  }

  /** Gets the array: {@code local = Probe.count(id, counters)}. */
  private byte[] fetch(int id, int counters, int local) {
    byte[] store = local(Opcode.ASTORE, local);
    byte[] push = push(counters);
    byte[] bytes = new byte[6 + push.length + store.length];
    bytes[0] = (byte) Opcode.LDC_W;
    ByteArray.write16bit(id, bytes, 1);
    System.arraycopy(push, 0, bytes, 3, push.length);
    bytes[3 + push.length] = (byte) Opcode.INVOKESTATIC;
    ByteArray.write16bit(count, bytes, 4 + push.length);
    System.arraycopy(store, 0, bytes, 6 + push.length, store.length);
    return bytes;
  }

  /** Counts: {@code local[number]++}. */
  private static byte[] counter(int local, int number) {
    byte[] load = local(Opcode.ALOAD, local);
    byte[] push = push(number);
    byte[] add = {Opcode.DUP2, Opcode.LALOAD, Opcode.LCONST_1, Opcode.LADD, Opcode.LASTORE};
    byte[] bytes = new byte[load.length + push.length + add.length];
    System.arraycopy(load, 0, bytes, 0, load.length);
    System.arraycopy(push, 0, bytes, load.length, push.length);
    System.arraycopy(add, 0, bytes, load.length + push.length, add.length);
    return bytes;
  }

  private static byte[] local(int op, int local) {
    return local < 256
        ? new byte[] {(byte) op, (byte) local}
        : new byte[] {(byte) Opcode.WIDE, (byte) op, (byte) (local >> 8), (byte) local};
  }

  private static byte[] push(int number) {
    if (number <= 5) {
      return new byte[] {(byte) (Opcode.ICONST_0 + number)};
    }
    return number < 128
        ? new byte[] {Opcode.BIPUSH, (byte) number}
        : new byte[] {Opcode.SIPUSH, (byte) (number >> 8), (byte) number};
  }
}

package org.navitas.instrument;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import javassist.bytecode.AttributeInfo;
import javassist.bytecode.BadBytecode;
import javassist.bytecode.ByteArray;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.CodeIterator;
import javassist.bytecode.ConstPool;
import javassist.bytecode.ExceptionTable;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;
import javassist.bytecode.StackMapTable;

/**
 * Puts the probes into methods of one class: {@code enter} at the start (in constructors after the call of
 * {@code super} or {@code this}), {@code exit} before each return, {@code thrown} in one handler for everything that
 * the method's own handlers let pass, which throws on.
 *
 * <p>The handler's stack map frame has no locals and one Throwable on the stack, so it fits every method.
 */
final class MethodProbes {
  private static final String PROBE = "org.navitas.runtime.Probe";
  private static final int PROBE_BYTES = 6;
  private static final int HANDLER_BYTES = 7;
  private static final int MAX_U2 = 65535;
  private static final int FULL_FRAME = 255;
  private static final int OBJECT = 7;
  /** The first class file version whose verifier reads stack maps. */
  private static final int STACK_MAP_VERSION = 50;

  private final ConstPool pool;
  private final boolean stackMaps;
  private final int enter;
  private final int exit;
  private final int thrown;
  private final int throwable;

  /** Adds all constants that probes need, but their ids. */
  MethodProbes(ConstPool pool, int majorVersion) {
    this.pool = pool;
    int probe = pool.addClassInfo(PROBE);
    enter = pool.addMethodrefInfo(probe, "enter", "(I)V");
    exit = pool.addMethodrefInfo(probe, "exit", "(I)V");
    thrown = pool.addMethodrefInfo(probe, "thrown", "(I)V");
    throwable = pool.addClassInfo("java.lang.Throwable");
    stackMaps = majorVersion >= STACK_MAP_VERSION;
    if (stackMaps) {
      pool.addUtf8Info(StackMapTable.tag);
    }
  }

  /**
   * Instruments one method, or leaves it as it is.
   *
   * @param id index of the Integer constant that holds the method's id
   * @return null, or why it is left alone
   * @throws MalformedClassException when its code cannot even be walked
   */
  String add(MethodInfo method, int id) throws MalformedClassException, BadBytecode {
    CodeAttribute code = method.getCodeAttribute();
    CodeScan scan = new CodeScan(code.getCode());
    StackMapTable frames = (StackMapTable) code.getAttribute(StackMapTable.tag);
    FrameOffsets offsets = FrameOffsets.of(frames);
    List<Integer> entries = Collections.singletonList(0);
    List<int[]> covered = Collections.singletonList(new int[] {0, code.getCodeLength()});
    if (method.isConstructor()) {
      ConstructorFlow flow = ConstructorFlow.of(code, scan);
      // Javassist moves no frame at 0 when code after it grows; javac makes none in constructors.
      if (flow == null || offsets.count > 0 && offsets.first == 0) {
        return Skipped.MALFORMED;
      }
      covered = flow.after();
      entries = new ArrayList<>();
      for (int call : flow.calls) {
        entries.add(scan.next(call));
      }
    }
    if (outgrows(code, scan, entries.size(), covered.size(), offsets)) {
      return Skipped.TOO_LARGE;
    }
    insert(code, entries, covered, id);
    if (stackMaps) {
      addFrame(code, frames);
    }
    return null;
  }

  private static boolean outgrows(CodeAttribute code, CodeScan scan, int entries, int ranges, FrameOffsets frames) {
    return scan.outgrows(entries, PROBE_BYTES, HANDLER_BYTES)
        || code.getMaxStack() >= MAX_U2
        || code.getExceptionTable().size() + ranges > MAX_U2
        || frames.count >= MAX_U2
        || entries > 1 && code.getCodeLength() > Short.MAX_VALUE / 2; // offsets of the others could move
  }

  private void insert(CodeAttribute code, List<Integer> entries, List<int[]> covered, int id) throws BadBytecode {
    CodeIterator iterator = code.iterator();
    int handler = iterator.append(probe(id, thrown, HANDLER_BYTES, Opcode.ATHROW));
    ExceptionTable table = code.getExceptionTable();
    for (int[] range : covered) {
      table.add(range[0], range[1], handler, 0);
    }
    // From the last to the first, so that offsets still to come hold. Exclusive: branches back to the start of the
    // method do not enter again, and the entry probe is not covered by the handler.
    for (int i = entries.size() - 1; i >= 0; i--) {
      iterator.insertEx(entries.get(i), probe(id, enter, PROBE_BYTES, 0));
    }
    byte[] leave = probe(id, exit, PROBE_BYTES, 0);
    iterator.begin();
    while (iterator.hasNext()) {
      int pc = iterator.next();
      if (CodeScan.isReturn(iterator.byteAt(pc))) {
        iterator.insertAt(pc, leave);
      }
    }
    code.setMaxStack(Math.max(code.getMaxStack() + 1, 2));
  }

  private static byte[] probe(int id, int method, int length, int last) {
    byte[] bytes = new byte[length];
    bytes[0] = (byte) Opcode.LDC_W;
    ByteArray.write16bit(id, bytes, 1);
    bytes[3] = (byte) Opcode.INVOKESTATIC;
    ByteArray.write16bit(method, bytes, 4);
    if (length > PROBE_BYTES) {
      bytes[PROBE_BYTES] = (byte) last;
    }
    return bytes;
  }

  private void addFrame(CodeAttribute code, StackMapTable frames) throws BadBytecode {
    FrameOffsets offsets = FrameOffsets.of(frames);
    ExceptionTable table = code.getExceptionTable();
    int handler = table.handlerPc(table.size() - 1);
    byte[] old = frames == null ? new byte[2] : frames.get();
    byte[] grown = Arrays.copyOf(old, old.length + 10);
    ByteArray.write16bit(offsets.count + 1, grown, 0);
    int at = old.length;
    grown[at] = (byte) FULL_FRAME;
    ByteArray.write16bit(offsets.count == 0 ? handler : handler - offsets.last - 1, grown, at + 1);
    ByteArray.write16bit(0, grown, at + 3);
    ByteArray.write16bit(1, grown, at + 5);
    grown[at + 7] = OBJECT;
    ByteArray.write16bit(throwable, grown, at + 8);
    AttributeInfo attribute = new AttributeInfo(pool, StackMapTable.tag, grown);
    code.getAttributes().remove(frames);
    code.getAttributes().add(attribute);
  }
}

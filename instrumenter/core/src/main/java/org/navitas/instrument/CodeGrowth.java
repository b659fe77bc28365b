package org.navitas.instrument;

import java.util.BitSet;
import java.util.List;
import javassist.bytecode.AttributeInfo;
import javassist.bytecode.ByteArray;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.ExceptionTable;
import javassist.bytecode.LineNumberAttribute;
import javassist.bytecode.LocalVariableAttribute;
import javassist.bytecode.LocalVariableTypeAttribute;
import javassist.bytecode.Opcode;

/**
 * Inserts instructions at many places of a method's code in one pass. Jumps to a place lead to what is inserted there.
 * Only the prologue, at the start, has no jumps to it, and no handler covers it. A new handler can follow the code.
 *
 * <p>Javassist moves the rest of the code once for each place, and pads each place in code with switches.
 */
final class CodeGrowth {
  private final CodeScan scan;
  private final byte[] code;
  private final byte[] prologue;
  /** What to insert at each offset, or null. */
  private final byte[][] inserted;
  /** A handler of exceptions that no other one has caught; empty without one. */
  private final byte[] handler;
  /** The new offset of what is inserted at each offset, or else of the instruction. */
  private final int[] places;
  /** Short jumps that need a wide offset. */
  private final BitSet widened = new BitSet();
  private byte[] grown;
  private int at;

  private CodeGrowth(CodeAttribute attribute, CodeScan scan, byte[] prologue, byte[][] inserted, byte[] handler) {
    this.scan = scan;
    this.code = attribute.getCode();
    this.prologue = prologue;
    this.inserted = inserted;
    this.handler = handler;
    places = new int[code.length + 1];
  }

  /**
   * Plans the new code.
   *
   * @param inserted what to insert at each offset; null for nothing
   * @param handler the code of a handler to add, or nothing
   * @return null if the code would break a limit of the format (JVMS 4.7.3, 4.9.1)
   */
  static CodeGrowth of(CodeAttribute attribute, CodeScan scan, byte[] prologue, byte[][] inserted, byte[] handler)
      throws MalformedClassException {
    CodeGrowth growth = new CodeGrowth(attribute, scan, prologue, inserted, handler);
    return growth.plan() ? growth : null;
  }

  private boolean plan() throws MalformedClassException {
    boolean changed;
    do {
      lay();
      if (places[code.length] + handler.length > CodeScan.MAX_CODE) {
        return false;
      }
      changed = false;
      for (int pc : scan.starts) {
        int op = scan.opcode(pc);
        if ((CodeScan.isConditional(op) || CodeScan.isShortJump(op)) && !widened.get(pc)) {
          int distance = places[pc + (short) scan.u2(pc + 1)] - instruction(pc);
          if (distance != (short) distance) {
            if (CodeScan.isConditional(op)) {
              return false; // it would need another stack map frame
            }
            widened.set(pc);
            changed = true;
          }
        }
      }
    } while (changed);
    return true;
  }

  /** Computes the new offsets. */
  private void lay() throws MalformedClassException {
    int to = prologue.length;
    for (int pc : scan.starts) {
      places[pc] = to;
      to += insertedAt(pc);
      int next = scan.next(pc);
      int length = next - pc;
      if (CodeScan.isSwitch(scan.opcode(pc))) {
        length += padding(to) - padding(pc);
      } else if (widened.get(pc)) {
        length += 2;
      }
      for (int inner = pc + 1; inner < next; inner++) {
        places[inner] = to + inner - pc; // tables of debug information can be wrong
      }
      to += length;
    }
    places[code.length] = to;
  }

  private static int padding(int pc) {
    return 3 - (pc & 3);
  }

  private int insertedAt(int pc) {
    return pc < code.length && inserted[pc] != null ? inserted[pc].length : 0;
  }

  /** Returns the new offset of a jump's target, or of a handler. */
  int place(int pc) {
    return places[Math.min(pc, code.length)];
  }

  /** Returns the offset after the old code's new place, where the added handler is. */
  int end() {
    return places[code.length];
  }

  /** Returns the new offset of the instruction itself. */
  int instruction(int pc) {
    return places[pc] + insertedAt(pc);
  }

  /**
   * Makes the new code, with all attributes except stack maps and annotations of types.
   *
   * @param handled starts and ends of what the added handler covers
   */
  CodeAttribute apply(CodeAttribute old, int stack, int locals, List<int[]> handled) throws MalformedClassException {
    grown = new byte[places[code.length] + handler.length];
    copy(prologue, 0, prologue.length);
    for (int pc : scan.starts) {
      if (insertedAt(pc) > 0) {
        copy(inserted[pc], 0, inserted[pc].length);
      }
      write(pc);
    }
    copy(handler, 0, handler.length);
    ExceptionTable table = new ExceptionTable(old.getConstPool());
    for (int i = 0; i < old.getExceptionTable().size(); i++) {
      ExceptionTable from = old.getExceptionTable();
      table.add(place(from.startPc(i)), place(from.endPc(i)), place(from.handlerPc(i)), from.catchType(i));
    }
    for (int[] range : handled) {
      table.add(place(range[0]), place(range[1]), end(), 0);
    }
    CodeAttribute made = new CodeAttribute(old.getConstPool(), stack, locals, grown, table);
    for (AttributeInfo each : old.getAttributes()) {
      if (each.getName().equals(LineNumberAttribute.tag)) {
        made.getAttributes().add(moved(each, 4, false));
      } else if (each.getName().equals(LocalVariableAttribute.tag) || each.getName().equals(LocalVariableTypeAttribute.tag)) {
        made.getAttributes().add(moved(each, 10, true));
      }
    }
    return made;
  }

  /** Moves a table of records that start with an offset, and with ranges then have a length. */
  private AttributeInfo moved(AttributeInfo attribute, int record, boolean ranges) {
    byte[] table = attribute.get().clone();
    for (int start = 2; start + record <= table.length; start += record) {
      int from = ByteArray.readU16bit(table, start);
      int to = from == 0 ? 0 : place(from); // the prologue belongs to the first line, and parameters are there
      ByteArray.write16bit(to, table, start);
      if (ranges) {
        ByteArray.write16bit(place(from + ByteArray.readU16bit(table, start + 2)) - to, table, start + 2);
      }
    }
    return new AttributeInfo(attribute.getConstPool(), attribute.getName(), table);
  }

  private void write(int pc) throws MalformedClassException {
    int op = scan.opcode(pc);
    int from = at;
    if (CodeScan.isConditional(op) || CodeScan.isShortJump(op)) {
      int distance = place(pc + (short) scan.u2(pc + 1)) - from;
      if (widened.get(pc)) {
        grown[at++] = (byte) (op + Opcode.GOTO_W - Opcode.GOTO);
        u4(distance);
      } else {
        grown[at++] = (byte) op;
        u2(distance);
      }
    } else if (op == Opcode.GOTO_W || op == Opcode.JSR_W) {
      grown[at++] = (byte) op;
      u4(place(pc + scan.s4(pc + 1)) - from);
    } else if (CodeScan.isSwitch(op)) {
      writeSwitch(pc, op, from);
    } else {
      copy(code, pc, scan.next(pc));
    }
  }

  private void writeSwitch(int pc, int op, int from) throws MalformedClassException {
    int operands = pc + 1 + padding(pc);
    grown[at] = (byte) op;
    at += 1 + padding(from);
    u4(place(pc + scan.s4(operands)) - from);
    boolean isTable = op == Opcode.TABLESWITCH;
    int cases = operands + (isTable ? 12 : 8);
    copy(code, operands + 4, cases);
    for (int each = cases; each < scan.next(pc); each += isTable ? 4 : 8) {
      if (!isTable) {
        copy(code, each, each + 4);
      }
      u4(place(pc + scan.s4(isTable ? each : each + 4)) - from);
    }
  }

  private void copy(byte[] bytes, int from, int to) {
    System.arraycopy(bytes, from, grown, at, to - from);
    at += to - from;
  }

  private void u2(int value) {
    ByteArray.write16bit(value, grown, at);
    at += 2;
  }

  private void u4(int value) {
    ByteArray.write32bit(value, grown, at);
    at += 4;
  }
}

package org.navitas.instrument.edits;

import org.navitas.instrument.files.InstrumentException;

/** One line of an edits file: a block of an original class whose code is removed, or runs several times. */
final class BlockEdit {
    private static final String REMOVE = "remove";
    private static final String REPEAT = "repeat";
    private static final int FEWEST = 2;
    private static final int MOST = 1000;
    private static final int FIELDS = 4;

    /** Number of the line, from 1. */
    final int line;
    /** Name of the class, with dots. */
    final String className;
    /** Name and descriptor. */
    final String method;

    final int block;
    /** How often the code runs each time that control passes; 0 if it is removed. */
    final int times;

    private BlockEdit(int line, String className, String method, int block, int times) {
        this.line = line;
        this.className = className;
        this.method = method;
        this.block = block;
        this.times = times;
    }

    /**
     * Parses a line.
     *
     * @throws InstrumentException without the file's name, if the line is no edit
     */
    static BlockEdit parse(String text, int line) throws InstrumentException {
        String[] fields = text.split("\t", -1);
        boolean repeats = fields[0].equals(REPEAT);
        if (!repeats && !fields[0].equals(REMOVE)) {
            throw new InstrumentException("'" + fields[0] + "' is not an edit; write remove or repeat");
        }
        if (fields.length != FIELDS + (repeats ? 1 : 0)) {
            throw new InstrumentException(fields[0] + " needs a class, a method and a block"
                    + (repeats ? ", and a number of times" : "") + ", separated by tabs");
        }
        int block = number(fields[3], "block");
        int times = repeats ? number(fields[FIELDS], "number of times") : 0;
        if (repeats && (times < FEWEST || times > MOST)) {
            throw new InstrumentException("code can run " + FEWEST + " to " + MOST + " times, not " + times);
        }
        return new BlockEdit(line, fields[1], fields[2], block, times);
    }

    private static int number(String text, String what) throws InstrumentException {
        try {
            int number = Integer.parseInt(text);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new InstrumentException("the " + what + " '" + text + "' is not a number", e);
        }
        throw new InstrumentException("the " + what + " '" + text + "' is negative");
    }

    /** Returns the block's place, for messages. */
    String place() {
        return "block " + block + " of " + className + "." + method;
    }

    /** Returns the text that decides the edit's result. */
    String text() {
        return method + '\t' + block + '\t' + times;
    }
}

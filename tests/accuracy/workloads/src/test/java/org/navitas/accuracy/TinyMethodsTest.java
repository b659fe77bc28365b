package org.navitas.accuracy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** Code with tiny, deeply nested or very frequently called methods, whose probes cost more than the methods. */
public class TinyMethodsTest {
    static long sink;

    @Test
    public void backtracking() {
        sink += new Puzzle("SEND", "MORE", "MONEY").solutions();
    }

    @Test
    public void fib() {
        sink += fib(37);
    }

    @Test
    public void parser() {
        for (int i = 0; i < 100_000; i++) {
            sink += new Parser("(1+2*3-(4+5)*(6-7)+8)*9+(10-11*(12+13))*14-15").sum();
        }
    }

    @Test
    public void accessors() {
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            items.add(new Item("item" + i, i, i % 7));
        }
        for (int i = 0; i < 10_000; i++) {
            sink += total(items) + best(items).getPrice();
        }
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static long total(List<Item> items) {
        long sum = 0;
        for (Item item : items) {
            if (item.isInStock()) {
                sum += item.value();
            }
        }
        return sum;
    }

    static Item best(List<Item> items) {
        Item best = items.get(0);
        for (Item item : items) {
            best = item.getPrice() > best.getPrice() ? item : best;
        }
        return best;
    }

    /** A class of accessors. */
    static final class Item {
        private final String name;
        private final int price;
        private final int count;

        Item(String name, int price, int count) {
            this.name = name;
            this.price = price;
            this.count = count;
        }

        String getName() {
            return name;
        }

        int getPrice() {
            return price;
        }

        int getCount() {
            return count;
        }

        boolean isInStock() {
            return getCount() > 0;
        }

        long value() {
            return (long) getPrice() * getCount();
        }
    }

    /** A verbal arithmetic puzzle: tries all digits for one letter after another. */
    static final class Puzzle {
        private final String[] terms;
        private final String sum;
        private final List<Character> letters = new ArrayList<>();

        Puzzle(String first, String second, String sum) {
            terms = new String[] {first, second};
            this.sum = sum;
            for (char letter : (first + second + sum).toCharArray()) {
                if (!letters.contains(letter)) {
                    letters.add(letter);
                }
            }
        }

        int solutions() {
            return place(0, new LinkedHashMap<>(), new boolean[10]);
        }

        private int place(int index, Map<Character, Integer> digits, boolean[] used) {
            if (isComplete(index)) {
                return isSolved(digits) ? 1 : 0;
            }
            int found = 0;
            for (int digit = 0; digit < used.length; digit++) {
                if (isFree(used, digit)) {
                    take(used, digit);
                    digits.put(letterAt(index), digit);
                    found += place(index + 1, digits, used);
                    release(used, digit);
                }
            }
            return found;
        }

        private boolean isComplete(int index) {
            return index == letters.size();
        }

        private Character letterAt(int index) {
            return letters.get(index);
        }

        private static boolean isFree(boolean[] used, int digit) {
            return !used[digit];
        }

        private static void take(boolean[] used, int digit) {
            used[digit] = true;
        }

        private static void release(boolean[] used, int digit) {
            used[digit] = false;
        }

        private boolean isSolved(Map<Character, Integer> digits) {
            if (startsWithZero(digits, sum)) {
                return false;
            }
            long left = 0;
            for (String term : terms) {
                if (startsWithZero(digits, term)) {
                    return false;
                }
                left += number(digits, term);
            }
            return left == number(digits, sum);
        }

        private static boolean startsWithZero(Map<Character, Integer> digits, String word) {
            return digit(digits, word, 0) == 0;
        }

        private static long number(Map<Character, Integer> digits, String word) {
            long value = 0;
            for (int i = 0; i < word.length(); i++) {
                value = 10 * value + digit(digits, word, i);
            }
            return value;
        }

        private static int digit(Map<Character, Integer> digits, String word, int at) {
            return digits.get(word.charAt(at));
        }
    }

    /** Sums, products and brackets by recursive descent. */
    static final class Parser {
        private final String text;
        private int at;

        Parser(String text) {
            this.text = text;
        }

        int sum() {
            int value = product();
            while (isNext('+') || isNext('-')) {
                value = take() == '+' ? value + product() : value - product();
            }
            return value;
        }

        private int product() {
            int value = factor();
            while (isNext('*')) {
                take();
                value *= factor();
            }
            return value;
        }

        private int factor() {
            if (isNext('(')) {
                take();
                int value = sum();
                take();
                return value;
            }
            return literal();
        }

        private int literal() {
            int value = 0;
            while (isDigit()) {
                value = 10 * value + digit();
            }
            return value;
        }

        private int digit() {
            return take() - '0';
        }

        private boolean isDigit() {
            return hasMore() && Character.isDigit(peek());
        }

        private boolean isNext(char wanted) {
            return hasMore() && peek() == wanted;
        }

        private boolean hasMore() {
            return at < text.length();
        }

        private char peek() {
            return text.charAt(at);
        }

        private char take() {
            return text.charAt(at++);
        }
    }
}

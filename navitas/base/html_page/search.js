"use strict";
// A search by words: a text matches if it has all of them, in small or capital letters.
const search = (() => {
  const wordsOf = (text) => (text || "").toLowerCase().split(/\s+/).filter(Boolean);
  const hasWords = (text, words) => words.every((word) => text.includes(word));
  return { wordsOf, hasWords };
})();

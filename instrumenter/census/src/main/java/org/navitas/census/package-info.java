/** Counts the source-level operations of each basic block (docs/dev/census.md). */
package org.navitas.census;

"""Real source files to change: of the standard library, and three in other languages."""

from __future__ import annotations

import sysconfig
from pathlib import Path

JAVA = """package shapes;

/**
 * A set of shapes.
 */
public class Shapes {
    /** How many there are. */
    private int count = 0;

    /**
     * Adds one.
     *
     * @param name the name
     */
    public void add(String name) {
        if (name == null) {
            throw new IllegalArgumentException("name");
        }
        // count it
        count += 1;
    }

    /**
     * Removes one.
     *
     * @param name the name
     */
    public void remove(String name) {
        if (name == null) {
            throw new IllegalArgumentException("name");
        }
        // count it
        count -= 1;
    }
}
"""
HEADER = """#ifndef QUEUE_H
#define QUEUE_H

/* A queue of integers.
   It grows on demand.  */
struct queue {
\tint *items;\t/* the items */
\tsize_t length;
};

/* Put an item at the end.  */
extern int queue_put (struct queue *__q, int __item)
     __attribute__ ((nonnull (1)));

/* Take the first item.
   Returns -1 if there is none.  */
extern int queue_take (struct queue *__q)
     __attribute__ ((nonnull (1)));

#endif
"""
SCRIPT = """'use strict'

const fs = require('fs')
const path = require('path')

// remove a version
async function remove (gyp, argv) {
  const dir = gyp.devDir
  if (dir && argv.length > 1) {
    log.verbose('remove', `in <${dir}>`)
  }

  try {
    await fs.stat(dir)
  } catch (err) {
    if (err.code === 'ENOENT') {
      return 'was removed already'
    }
    throw err
  }

  return fs.rm(dir)
}

module.exports = remove
"""
MODULES = ("bisect.py", "copy.py", "fnmatch.py", "reprlib.py", "sched.py", "queue.py", "colorsys.py", "shlex.py")


def sources() -> list[tuple[str, str]]:
    library = Path(sysconfig.get_paths()["stdlib"])
    modules = [(f"src/lib/{name}", (library / name).read_text("utf-8")) for name in MODULES]
    return [*modules, ("src/lib/Shapes.java", JAVA), ("src/lib/queue.h", HEADER), ("src/lib/remove.js", SCRIPT)]

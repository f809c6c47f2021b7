/** File descriptor in the child of the pipe whose other end the parent holds: it closes when either is gone. */
export const LIFELINE = 4;

/** What a child writes to the pipe before it ends itself because it needs too much memory. */
export const MEMORY_SIGN = 'm';

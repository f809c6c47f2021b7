/** File systems count time in steps of a few milliseconds: two writes within one step leave the same time. */
export const CLOCK_STEP_MS = 20;

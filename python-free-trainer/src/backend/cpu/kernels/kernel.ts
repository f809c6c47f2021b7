import type { Workspace } from '../workspace.ts';

/**
 * The part [from, to) of a job. It may write only what belongs to that part, and what it writes must not depend on how the
 * job was cut: then a result is the same for any number of threads.
 */
export type Kernel<Args> = (from: number, to: number, args: Args, workspace: Workspace) => void;

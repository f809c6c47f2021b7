import type { Steps } from './effects.ts';
import { isBroken, oneShotSample, oneShotWithRetries } from './one-shot.ts';
import { openSession, type Session } from './session.ts';
import type { AgentOutcome, AgentSetup, Candidate } from './setup.ts';
import { turnsSample } from './turns.ts';
import { vote } from './vote.ts';

function* oneSample(session: Session, sample: number): Steps<Candidate> {
  return session.setup.protocol === 'turns'
    ? yield* turnsSample(session, sample)
    : yield* oneShotSample(session, sample);
}

function* alone(session: Session): Steps<Candidate> {
  return session.setup.protocol === 'turns' ? yield* turnsSample(session, 0) : yield* oneShotWithRetries(session);
}

/** Samples 0 to n - 1, fewer where the user or the provider ends it. */
function* sampled(session: Session): Steps<Candidate[]> {
  const candidates: Candidate[] = [];
  for (let sample = 0; sample < session.setup.samples; sample += 1) {
    const candidate = yield* oneSample(session, sample);
    candidates.push(candidate);
    if (isBroken(candidate)) break;
  }
  return candidates;
}

function* voted(session: Session): Steps<Pick<AgentOutcome, 'answer' | 'vote'>> {
  const candidates = yield* sampled(session);
  const last = candidates.at(-1);
  if (last === undefined) throw new Error('A vote needs at least one sample.');
  const counted = vote(candidates.filter((candidate) => !isBroken(candidate)));
  if (counted === null) return { answer: last, vote: [] };
  if (last.stop === 'cancelled') return { answer: { ...counted.winner, stop: 'cancelled' }, vote: counted.groups };
  if (last.error)
    session.notes.push(
      `The vote is over ${candidates.length - 1} of ${session.setup.samples} samples: ${last.error.message}`,
    );
  return { answer: counted.winner, vote: counted.groups };
}

function addNotes({ notes, setup }: Session, answer: Candidate): void {
  if (answer.stop === 'budget')
    notes.push(`The model gave no final answer in ${setup.turns} turns. This is its last query that ran.`);
  if (answer.error && answer.result) notes.push(`${answer.error.message} This is the query it had until then.`);
  for (const note of answer.result?.notes ?? []) notes.push(note);
}

/**
 * The agent as a pure state machine: it yields what it wants of the world and is sent what came of it. The same setup
 * and inputs give the same effects, byte for byte.
 *
 * One sample is greedy. With `samples` = n > 1 sample 0 is greedy and sample i has temperature 0.7 and seed i, for both
 * protocols, and the answers vote (see `vote`).
 */
export function* agent(setup: AgentSetup): Steps<AgentOutcome> {
  const session = openSession(setup);
  const { answer, vote: groups } =
    setup.samples > 1 ? yield* voted(session) : { answer: yield* alone(session), vote: null };
  addNotes(session, answer);
  const { turns, linked, notes } = session;
  return { answer, turns, linked, vote: groups, notes };
}

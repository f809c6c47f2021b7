import assert from 'node:assert/strict';
import { DiagnosisSession, type DiagnosisTask } from '../../../../src/host/diagnosis/session.ts';
import type { DiagnosisState } from '../../../../src/protocol/diagnosis-view.ts';
import { AppError } from '../../../../src/protocol/errors.ts';
import type { Diagnoser, DiagnosisRequest } from '../../../../src/runtime/diagnose/diagnose.ts';
import { openCities } from './cities.ts';

describe('the diagnosis of a panel', () => {
  const { db, diagnoser, dispose } = openCities();
  after(dispose);

  const task = (fields: Partial<DiagnosisTask> = {}): DiagnosisTask => ({
    db,
    gold: "SELECT name FROM city WHERE country = 'Norway'",
    pred: "SELECT name FROM city WHERE country = 'norway'",
    timeoutMs: 5_000,
    rows: null,
    canDebug: false,
    ...fields,
  });

  function open(load: () => Promise<Pick<Diagnoser, 'diagnose' | 'inspect'>> = async () => diagnoser) {
    const states: (DiagnosisState | null)[] = [];
    const failures: unknown[] = [];
    const session = new DiagnosisSession({
      diagnoser: load,
      onState: (state) => states.push(state),
      onFailure: (error) => failures.push(error),
    });
    return { session, states, failures, phases: () => states.map((state) => state?.phase ?? null) };
  }

  it('says what it knows before it looks for a repair, and then the repair', async () => {
    const { session, states, phases } = open();
    await session.begin(task());
    assert.deepEqual(phases(), ['judging', 'repairing', 'done']);
    assert.equal(states[0]?.diagnosis, null);
    assert.equal(states[1]?.diagnosis?.sentence, 'WHERE drops 2 rows that the gold keeps.');
    assert.equal(states[1]?.diagnosis?.repair, null);
    assert.equal(states[2]?.diagnosis?.repair?.sql, "SELECT name FROM city WHERE country = 'Norway'");
    assert.equal(session.diagnosis?.verdict, 'different');
  });

  it('of a query that does not run there is a place and no repair', async () => {
    const { session, states, phases } = open();
    await session.begin(task({ pred: 'SELECT nme FROM city' }));
    assert.deepEqual(phases(), ['judging', 'done']);
    assert.equal(states[1]?.diagnosis?.verdict, 'error');
    assert.equal(states[1]?.diagnosis?.range?.offset, 7);
  });

  it('without a gold it shows what the query shows', async () => {
    const { session, states } = open();
    await session.begin(task({ gold: null }));
    const { diagnosis, inspection } = states.at(-1) ?? {};
    assert.equal(diagnosis, null);
    assert.ok(inspection?.hints.some(({ kind }) => kind === 'value_not_found'));
    assert.deepEqual(
      inspection?.steps.map(({ text, rowCount }) => [text, rowCount]),
      [
        ['FROM city', 4],
        ["WHERE country = 'norway'", 0],
        ['SELECT name', 0],
      ],
    );
  });

  it('stopped, it keeps what was found and begins again when told', async () => {
    let isFirst = true;
    const halfway: Pick<Diagnoser, 'diagnose' | 'inspect'> = {
      inspect: (request, signal) => diagnoser.inspect(request, signal),
      diagnose: async ({ onJudged, ...request }: DiagnosisRequest) => {
        onJudged?.(await diagnoser.diagnose({ ...request, repair: false }));
        session.stop();
        throw new AppError('cancelled', 'Stopped.');
      },
    };
    const { session, states, failures, phases } = open(async () => {
      const loaded = isFirst ? halfway : diagnoser;
      isFirst = false;
      return loaded;
    });
    await session.begin(task());
    assert.deepEqual(phases(), ['judging', 'repairing', 'stopped']);
    assert.equal(states.at(-1)?.diagnosis?.verdict, 'different');
    assert.deepEqual(failures, []);
    await session.again();
    assert.equal(phases().at(-1), 'done');
  });

  it('a new task takes the place of the one before, whose end is not heard', async () => {
    const { session, states } = open();
    const first = session.begin(task());
    const second = session.begin(task({ pred: 'SELECT name FROM city' }));
    await Promise.all([first, second]);
    assert.equal(session.task?.pred, 'SELECT name FROM city');
    assert.match(states.at(-1)?.diagnosis?.sentence ?? '', /WHERE/);
    assert.equal(states.filter((state) => state?.phase === 'done').length, 1);
  });

  it('a failure is in the state, and is told', async () => {
    const gone = new AppError('gone', 'The file is gone.');
    const { session, states, failures } = open(async () => Promise.reject(gone));
    await session.begin(task());
    assert.deepEqual(states.at(-1)?.problem, { code: 'gone', message: 'The file is gone.', data: {} });
    assert.equal(states.at(-1)?.phase, 'failed');
    assert.deepEqual(failures, [gone]);
  });

  it('cleared, it shows nothing', async () => {
    const { session, states } = open();
    await session.begin(task());
    session.clear();
    assert.equal(states.at(-1), null);
    assert.equal(session.diagnosis, null);
    await session.again();
    assert.equal(states.at(-1), null);
  });
});

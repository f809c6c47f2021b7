import { count, duration, percents } from '../../protocol/figures.ts';
import type { TrainingRun } from '../../protocol/training.ts';
import type { TrainingFacts } from '../../protocol/training-view.ts';
import type { TrainingHistory } from './history.ts';
import { figure, memoryInWords, quantity } from './words.ts';

type Fact = TrainingFacts['facts'][number];

const fact = (name: string, value: string, title: string | null = null): Fact => ({ name, value, title });

/** The last part of a path of this or another system. */
export function lastPart(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
}

function modelFacts({ config, base }: TrainingRun): Fact[] {
  const { model, lora } = config;
  const scale = `r ${lora.r}, alpha ${figure(lora.alpha)}${lora.rslora ? ', rank-stabilised' : ''}`;
  return [
    fact('Base', `${base.name}, ${quantity(base.parameters)} parameters`, model.base),
    fact('Adapter', `${scale}, ${quantity(base.trained_parameters)} parameters`, lora.targets.join(', ')),
    ...(model.adapter === null ? [] : [fact('Goes on from', lastPart(model.adapter), model.adapter)]),
  ];
}

function dataFacts({ config, data }: TrainingRun): Fact[] {
  const { examples, held_out, left_out, tokens, loss_tokens } = data;
  const apart = held_out === 0 ? '' : `, ${count(held_out)} for evaluation`;
  return [
    fact('Data', lastPart(config.data.train), config.data.train),
    fact('Examples', `${count(examples)}${apart}`),
    ...(left_out === 0 ? [] : [fact('Left out', `${count(left_out)} too long`, 'Longer than max_length')]),
    fact('Tokens', `${quantity(tokens)}, ${quantity(loss_tokens)} with a loss`),
  ];
}

function settingFacts({ config }: TrainingRun): Fact[] {
  const { optimiser, schedule, batch, length } = config;
  const passes = length.steps === null ? `${figure(length.epochs)} epochs` : `at most ${count(length.steps)} steps`;
  return [
    fact('Learning rate', `${figure(optimiser.lr, 3)}, ${schedule.kind}`),
    fact('Length', `${passes}, ${count(batch.examples)} examples a step`),
  ];
}

function speedFacts({ steps }: TrainingHistory, memory: number | null): Fact[] {
  const [speed, share] = [steps.last('tokens_per_s'), steps.last('share')];
  const [tokens, plain] = [steps.sum('tokens'), steps.sum('plain_tokens')];
  const saved = plain > tokens ? `, ${percents(1 - tokens / plain)} % saved by shared prefixes` : '';
  const about = "Useful work as a share of the device's measured peak";
  return [
    ...(speed === null ? [] : [fact('Speed', `${count(speed)} tokens/s`)]),
    ...(share === null ? [] : [fact('Share of the peak', `${percents(share)} %`, about)]),
    ...(tokens === 0 ? [] : [fact('Computed', `${quantity(tokens)} tokens${saved}`)]),
    ...(memory === null || memory === 0 ? [] : [fact('Memory', memoryInWords(memory))]),
  ];
}

function runFacts({ started, run_id, machine }: TrainingRun): Fact[] {
  return [
    fact('Device', machine.device, `${machine.host}, ${machine.platform}`),
    fact('Started', `${started.slice(0, 16).replace('T', ' ')} UTC`, run_id),
  ];
}

/** What a run was asked to do, where the trainer has not looked at model and data yet. */
export function givenFacts({ base, data }: { base: string; data: string }): Fact[] {
  return [fact('Base', lastPart(base), base), fact('Data', lastPart(data), data)];
}

/** What stands beside the curves of a run. @param memory bytes that the trainer holds now; null where unknown */
export function trainingFacts(run: TrainingRun, history: TrainingHistory, memory: number | null): Fact[] {
  const ms = history.steps.sum('ms');
  return [
    ...modelFacts(run),
    ...dataFacts(run),
    ...settingFacts(run),
    ...speedFacts(history, memory),
    ...runFacts(run),
    ...(ms === 0 ? [] : [fact('Time in steps', duration(ms))]),
  ];
}

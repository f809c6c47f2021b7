import { html, type TemplateResult } from 'lit';
import { duration } from '../../src/protocol/figures.ts';
import type { TrainingFacts, TrainingUp } from '../../src/protocol/training-view.ts';
import { icon } from '../shared/icons.ts';
import { isBusy, STATES, shortNumber } from './words.ts';

/** Sends a message up. */
export type Post = (message: TrainingUp) => void;

/** How far a run is: its steps in words and as a bar. */
function progressView({ step, of, loss, etaMs }: TrainingFacts): TemplateResult | '' {
  if (of === null || step === 0) return '';
  const words = [
    `step ${step.toLocaleString('en-US')} of ${of.toLocaleString('en-US')}`,
    ...(loss === null ? [] : [`loss ${shortNumber(loss)}`]),
    ...(etaMs === null ? [] : [`${duration(etaMs)} left`]),
  ].join(' · ');
  return html`<div class="progress">
    <span>${words}</span>
    <progress max=${of} .value=${step} aria-label="Steps done"></progress>
  </div>`;
}

function buttonsView({ state, canAnswer }: TrainingFacts, isCompared: boolean, post: Post): TemplateResult {
  const busy = isBusy(state);
  const button = (
    type: 'stop' | 'checkpoint' | 'resume' | 'ask' | 'evaluate' | 'openFolder' | 'compare' | 'uncompare',
    words: TemplateResult,
  ) =>
    html`<button class=${type === 'resume' || type === 'ask' ? 'primary' : ''} @click=${() => post({ type })}>${words}</button>`;
  return html`<div class="tools" role="group" aria-label="Actions">
    ${busy ? [button('stop', html`${icon('stop')}Stop`), button('checkpoint', html`${icon('down')}Checkpoint Now`)] : ''}
    ${busy || state === 'done' ? '' : button('resume', html`${icon('play')}Resume`)}
    ${
      canAnswer
        ? [
            button('ask', html`${icon('send')}Ask with This Adapter`),
            button('evaluate', html`${icon('beaker')}Evaluate This Adapter…`),
          ]
        : ''
    }
    ${button('openFolder', html`${icon('file')}Open Folder`)}
    ${
      isCompared
        ? button('uncompare', html`${icon('close')}End Comparison`)
        : button('compare', html`${icon('vote')}Compare with…`)
    }
  </div>`;
}

/** Name, state, progress and what can be done. */
export function headView(facts: TrainingFacts, isCompared: boolean, post: Post): TemplateResult {
  const { text, icon: picture, look } = STATES[facts.state];
  // Why a run failed stands below, and steps are counted by the progress.
  const isSaid = look !== 'bad' && (facts.state !== 'training' || facts.of === null);
  return html`<header>
    <div class="title">
      <h1 title=${facts.folder}>${facts.name}</h1>
      <span class="state ${look}">${icon(picture)}${text}</span>
    </div>
    ${isSaid ? html`<p class="dim">${facts.message}</p>` : ''} ${progressView(facts)} ${buttonsView(facts, isCompared, post)}
  </header>`;
}

/** Why a run failed, with what the trainer printed last. */
export function failureView({ state, message, log }: TrainingFacts, post: Post): TemplateResult | '' {
  if (state !== 'failed' && state !== 'died') return '';
  return html`<section class="problem" role="alert" aria-label="Why the run ended">
    ${icon('alert')}
    <div>
      <p>${message}</p>
      ${log === null || log === '' ? '' : html`<pre tabindex="0" aria-label="What the trainer printed last">${log}</pre>`}
    </div>
    <button @click=${() => post({ type: 'openLog' })}>Open Log</button>
  </section>`;
}

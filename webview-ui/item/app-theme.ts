import { css } from 'lit';

export const appTheme = css`
  main {
    display: grid;
    gap: 14px;
    max-width: 1600px;
    margin: 0 auto;
    padding: 10px 20px 48px;
  }
  .top {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 12px;
  }
  .top nav {
    display: flex;
    align-items: center;
    gap: 2px;
    margin-inline-start: auto;
  }
  .previous svg.icon {
    transform: rotate(180deg);
  }
  .place {
    min-width: 9ch;
    text-align: center;
    font-variant-numeric: tabular-nums;
  }
  .run {
    overflow-wrap: anywhere;
  }
  h1 {
    font-size: 1.25em;
    font-weight: 600;
    line-height: 1.4;
    overflow-wrap: anywhere;
  }
  .facts {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 14px;
    margin-top: 4px;
    color: var(--dim);
    line-height: 1.5;
  }
  .evidence {
    margin-top: 6px;
    line-height: 1.5;
    overflow-wrap: anywhere;
  }
  .outcome {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    padding: 2px 10px 2px 7px;
    border: 1px solid var(--line);
    border-radius: 12px;
    font-weight: 600;
    white-space: nowrap;
  }
  .outcome.good {
    border-color: var(--good);
  }
  .outcome.bad {
    border-color: var(--bad);
  }
  .outcome.good svg.icon,
  .metrics .good {
    color: var(--good);
  }
  .outcome.bad svg.icon,
  .metrics .bad {
    color: var(--bad);
  }
  .why {
    display: grid;
    gap: 6px;
    padding: 10px 12px;
    border: 1px solid var(--line);
    border-radius: 6px;
    line-height: 1.5;
  }
  .why p {
    overflow-wrap: anywhere;
  }
  .why code {
    color: var(--dim);
  }
  .metrics {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 18px;
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .metrics li {
    display: inline-flex;
    align-items: center;
    gap: 4px;
    white-space: nowrap;
  }
  .metrics .good,
  .metrics .bad {
    display: inline-flex;
  }
  .metrics svg.icon {
    width: 14px;
    height: 14px;
  }
  .work {
    border-top: 1px solid var(--line);
    padding-top: 10px;
  }
  .work > summary h2 {
    display: inline;
    font-weight: 600;
  }
  .turns {
    display: grid;
    gap: 12px;
    margin-top: 12px;
  }
  .turns > * {
    min-width: 0;
  }
  .tables {
    line-height: 1.9;
  }
  .tables code {
    padding: 1px 6px;
    border: 1px solid var(--line);
    border-radius: 10px;
    color: var(--dim);
  }
  .tables code.kept {
    color: inherit;
    background: var(--faint);
  }
  .tables code.lacking {
    border: 1px dashed var(--bad);
    color: var(--bad);
  }
  .next {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
  @container (max-width: 680px) {
    main {
      padding: 6px 10px 32px;
    }
    .sides {
      grid-auto-flow: row;
    }
    .top nav {
      margin-inline-start: 0;
    }
  }
`;

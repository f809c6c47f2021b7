import { css } from 'lit';

export const appTheme = css`
  :host {
    display: block;
    height: 100vh;
    overflow: auto;
    background: var(--vscode-editor-background);
  }
  main {
    display: grid;
    gap: 14px;
    max-width: 1080px;
    margin: 0 auto;
    padding: 8px 20px 48px;
  }
  main > * {
    min-width: 0;
  }
  header {
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: 0 8px;
    margin: 0 -6px -8px;
  }
  header button {
    max-width: 100%;
  }
  header .database {
    font-weight: 600;
  }
  header .model {
    color: var(--dim);
  }
  header span {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  ask-run {
    padding-top: 6px;
  }
  .empty {
    display: grid;
    gap: 6px;
    padding: 32px 12px;
    text-align: center;
    line-height: 1.5;
  }
  .empty h1 {
    font-size: 1.3em;
    font-weight: 600;
  }
  .empty p {
    max-width: 62ch;
    margin: 0 auto;
  }
  @media (max-width: 480px) {
    main {
      padding: 4px 10px 32px;
    }
    .problem {
      grid-template-columns: 16px 1fr;
    }
    .problem button {
      grid-column: 2;
      justify-self: start;
    }
  }
`;

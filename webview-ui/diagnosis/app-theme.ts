import { css } from 'lit';

export const appTheme = css`
  main {
    display: grid;
    gap: 14px;
    max-width: 1600px;
    margin: 0 auto;
    padding: 10px 20px 48px;
  }
  header {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 4px 12px;
  }
  h1 {
    font-size: 1.25em;
    font-weight: 600;
  }
  h2,
  strong {
    font-weight: 600;
  }
  h2 {
    margin-bottom: 4px;
  }
  .pair {
    display: grid;
    grid-auto-flow: column;
    grid-auto-columns: minmax(0, 1fr);
    gap: 14px 16px;
  }
  .box {
    display: grid;
    grid-template-rows: auto 1fr;
    min-width: 0;
  }
  .box sql-editor {
    min-height: 72px;
  }
  .run {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 12px;
  }
  @container (max-width: 680px) {
    main {
      padding: 6px 10px 32px;
    }
    .pair {
      grid-auto-flow: row;
    }
  }
`;

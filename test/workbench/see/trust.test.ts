import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notification, quickRow, runCommand } from '../../../scripts/workbench/browser.ts';
import { useWorkbench } from './support.ts';

describe('a folder that is not trusted, as a person sees it', () => {
  const workbench = useWorkbench({
    workspaceTrust: true,
    settings: { 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.banner': 'never' },
    env: { SQL_AGENT_SCRIPT: '' },
    // A folder that is made and filled in one moment while a window watches may go unseen.
    prepare: (workspace) => {
      const folder = join(workspace, '.vscode');
      mkdirSync(folder);
      const settings = {
        'sqlAgent.model.provider': 'openai',
        'sqlAgent.model.server.address': 'http://127.0.0.1:9/v1',
        'sqlAgent.model.server.name': 'of-the-folder',
      };
      writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings));
    },
  });

  it('trains nothing', async () => {
    const { page } = workbench();
    await runCommand(page, 'SQL Agent: Train…');
    const toast = notification(page, 'Training is off in Restricted Mode');
    await toast.waitFor();
    await toast.hover();
    await toast.locator('.codicon-notifications-clear').click();
  });

  it('chooses no model, says why, and leads to where the folder can be trusted', async () => {
    const { page } = workbench();
    await runCommand(page, 'SQL Agent: Choose Model…');
    const toast = notification(page, 'Choosing a model is off in Restricted Mode');
    await toast.getByRole('button', { name: 'Manage Workspace Trust' }).click();
    await page.getByText('You are in Restricted Mode').waitFor();
  });

  it('has the model that it names chosen once it is trusted', async () => {
    const { page } = workbench();
    await page.getByRole('button', { name: 'Trust', exact: true }).click();
    await page.getByText('You trust this folder').waitFor();
    await page.keyboard.press('Escape');
    await runCommand(page, 'SQL Agent: Choose Model…');
    await quickRow(page, 'current · of-the-folder at http://127.0.0.1:9/v1').waitFor();
  });

  it('shows a model that the folder names meanwhile, in the list that is open', async () => {
    const { page, workspace } = workbench();
    const file = join(workspace, '.vscode/settings.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('of-the-folder', 'of-today'));
    await quickRow(page, 'current · of-today at http://127.0.0.1:9/v1').waitFor();
  });
});

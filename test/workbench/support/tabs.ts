import * as vscode from 'vscode';

/** The tab that is seen in the active group. */
export function activeTab(): vscode.Tab | undefined {
  return vscode.window.tabGroups.activeTabGroup.activeTab;
}

/** All tabs of all groups. */
export function allTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => [...tabs]);
}

/** Waits until a condition on the tabs holds. @throws Error where it does not within 20 s. */
export async function untilTabs(condition: () => boolean, what: string): Promise<void> {
  if (condition()) return;
  await new Promise<void>((resolve, reject) => {
    const listening = vscode.window.tabGroups.onDidChangeTabs(() => {
      if (!condition()) return;
      end();
      resolve();
    });
    const timer = setTimeout(() => {
      end();
      reject(
        new Error(
          `it did not come: ${what}; tabs: ${allTabs()
            .map(({ label }) => label)
            .join(', ')}`,
        ),
      );
    }, 20_000);
    const end = () => {
      clearTimeout(timer);
      listening.dispose();
    };
  });
}

/** A file of the workspace folder. */
export function workspaceFile(name: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (!folder) throw new Error('no folder is open');
  return vscode.Uri.joinPath(folder.uri, name);
}

/** Closes every editor and panel, and waits until their tabs are gone: VS Code tells of tabs after the command's end. */
export async function closeAll(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  await untilTabs(() => allTabs().length === 0, 'no tab');
}

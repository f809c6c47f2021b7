import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Libraries beside the driver's own that the trainer uses where it finds them. */
export type LibraryName = 'cublasLt' | 'nvrtc' | 'cudnn';

export interface FoundLibrary {
  name: LibraryName;
  /** File to load; null: not found. */
  path: string | null;
  /** Folders that were looked into, in order. */
  searched: string[];
}

interface Names {
  /** File names in order of preference, without a version last. */
  linux: readonly string[];
  windows: RegExp;
  /** Environment variable that names the file. */
  variable: string;
}

const NAMES: Record<LibraryName, Names> = {
  cublasLt: {
    linux: ['libcublasLt.so.13', 'libcublasLt.so.12', 'libcublasLt.so'],
    windows: /^cublasLt64_\d+\.dll$/i,
    variable: 'SQL_AGENT_CUBLASLT',
  },
  nvrtc: {
    linux: ['libnvrtc.so.13', 'libnvrtc.so.12', 'libnvrtc.so'],
    windows: /^nvrtc64_\d+_0\.dll$/i,
    variable: 'SQL_AGENT_NVRTC',
  },
  cudnn: { linux: ['libcudnn.so.9', 'libcudnn.so'], windows: /^cudnn64_9\.dll$/i, variable: 'SQL_AGENT_CUDNN' },
};

/** What the search depends on; the machine's own by default. */
export interface SearchPlace {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  /** Entries of a folder, none where there is no such folder. */
  entries: (folder: string) => string[];
  exists: (path: string) => boolean;
}

export const thisMachine: SearchPlace = {
  env: process.env,
  platform: process.platform,
  entries: (folder) => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  },
  exists: existsSync,
};

/**
 * Looks for a library: where its variable says, on the loader's path, in the usual folders of the toolkit, then in Python
 * packages, which many machines have and which need no Python to be used.
 */
export function findLibrary(name: LibraryName, place: SearchPlace = thisMachine): FoundLibrary {
  const { variable, linux, windows } = NAMES[name];
  const told = place.env[variable];
  if (told === 'none') return { name, path: null, searched: [`${variable}=none`] };
  if (told !== undefined && told !== '') return { name, path: place.exists(told) ? told : null, searched: [told] };
  const searched: string[] = [];
  for (const folder of folders(place)) {
    searched.push(folder);
    const entries = place.entries(folder);
    const file =
      place.platform === 'win32'
        ? entries.find((entry) => windows.test(entry))
        : linux.find((entry) => entries.includes(entry));
    if (file !== undefined) return { name, path: join(folder, file), searched };
  }
  return { name, path: null, searched };
}

function folders(place: SearchPlace): string[] {
  const { env, platform, entries } = place;
  const path = (text: string | undefined) => (text ?? '').split(delimiter).filter((part) => part !== '');
  if (platform === 'win32') {
    const toolkit = 'C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA';
    const versions = entries(toolkit).map((version) => join(toolkit, version));
    return unique([
      ...path(env['PATH']),
      ...[env['CUDA_PATH'] ?? '', ...versions]
        .filter((folder) => folder !== '')
        .flatMap((folder) => [join(folder, 'bin', 'x64'), join(folder, 'bin')]),
      ...sitePackages(place).flatMap((site) => nvidiaFolders(site, 'bin', entries)),
    ]);
  }
  const toolkits = [
    env['CUDA_HOME'] ?? '',
    env['CUDA_PATH'] ?? '',
    '/usr/local/cuda',
    ...entries('/usr/local')
      .filter((entry) => entry.startsWith('cuda-'))
      .map((entry) => join('/usr/local', entry)),
  ];
  return unique([
    ...path(env['LD_LIBRARY_PATH']),
    ...toolkits
      .filter((folder) => folder !== '')
      .flatMap((folder) => [join(folder, 'lib64'), join(folder, 'targets/x86_64-linux/lib')]),
    '/usr/lib/x86_64-linux-gnu',
    '/usr/lib/aarch64-linux-gnu',
    '/usr/lib64',
    ...sitePackages(place).flatMap((site) => nvidiaFolders(site, 'lib', entries)),
  ]);
}

/** `nvidia/cu13/lib`, `nvidia/cublas/lib` … of a site-packages folder. */
function nvidiaFolders(site: string, last: string, entries: SearchPlace['entries']): string[] {
  const nvidia = join(site, 'nvidia');
  return entries(nvidia).map((entry) => join(nvidia, entry, last));
}

/** The folders of Python packages of the active environment, of the user, and of the system. */
function sitePackages({ env, platform, entries }: SearchPlace): string[] {
  const home = env['HOME'] ?? env['USERPROFILE'] ?? '';
  const prefixes = [env['VIRTUAL_ENV'] ?? '', env['CONDA_PREFIX'] ?? ''].filter((prefix) => prefix !== '');
  if (platform === 'win32') return prefixes.map((prefix) => join(prefix, 'Lib', 'site-packages'));
  const roots = [
    ...prefixes,
    ...(home === '' ? [] : [join(home, '.local')]),
    '/usr/local',
    '/usr',
    '/opt/conda',
    ...entries('/opt').map((entry) => join('/opt', entry, '.venv')),
  ];
  return roots.flatMap((root) =>
    ['lib', 'lib64'].flatMap((lib) =>
      entries(join(root, lib))
        .filter((entry) => entry.startsWith('python3'))
        .flatMap((python) => [join(root, lib, python, 'site-packages'), join(root, lib, python, 'dist-packages')]),
    ),
  );
}

function unique(folders: string[]): string[] {
  return [...new Set(folders)];
}

import { Nvrtc } from '../ffi/nvrtc.ts';
import type { CompileReply, CompileRequest } from './compiler-messages.ts';
import { bestArchitecture } from './kernel-program.ts';

// The process that compiles kernels, started by `compile.ts`: it answers one request and ends.

function compile({ file, program, capability }: CompileRequest): CompileReply {
  const nvrtc = new Nvrtc(file);
  const architecture = bestArchitecture(nvrtc.architectures, capability);
  if (architecture === null)
    return {
      problem: `${nvrtc.version} does not know GPUs of compute capability ${Math.floor(capability / 10)}.${capability % 10}: a newer one does`,
    };
  return { version: nvrtc.version, cubin: nvrtc.compile(program, architecture).cubin };
}

function answer(request: CompileRequest): CompileReply {
  try {
    return compile(request);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { problem: `did not compile them (${reason.split('\n')[0] ?? ''})` };
  }
}

process.once('message', (request: CompileRequest) => {
  process.send?.(answer(request), () => process.disconnect());
});

import { AppError } from '../../../src/protocol/errors.ts';

/** There is nothing at the path, or no model in the folder. */
export function modelMissing(path: string): AppError {
  return new AppError(
    'model_missing',
    `There is no model at ${path}. Name a GGUF file, or a folder with config.json and safetensors files.`,
    { path },
  );
}

/** A file of safetensors was named in place of its folder. */
export function nameTheFolder(path: string): AppError {
  return new AppError(
    'model_missing',
    `${path} holds weights without their configuration. Name the folder that it lies in together with config.json.`,
    { path },
  );
}

/** The folder of a training run was named in place of a model. @param path of its settings */
export function runIsNoModel(path: string): AppError {
  return new AppError(
    'model_missing',
    `${path} has the settings of a training run, which is no model. Name its base, its folder "adapter", or the model that "sql-agent-trainer export" makes of it.`,
    { path },
  );
}

/** The file is not what its format demands: truncated, damaged, changed meanwhile, or of another kind. */
export function modelUnreadable(path: string, reason: string): AppError {
  return new AppError(
    'model_unreadable',
    `${path} cannot be read as a model: ${reason}. Copy or download the file again.`,
    { path, reason },
  );
}

/** The file is sound, and holds a model that the trainer does not compute. */
export function modelUnsupported(path: string, reason: string): AppError {
  return new AppError(
    'model_unsupported',
    `The model ${path} cannot be used: ${reason}. The trainer knows Qwen3, Qwen2, Qwen2.5 and Llama models (also SmolLM2) without experts and sliding windows.`,
    { path, reason },
  );
}

/** @param name of the tensor that the architecture needs */
export function tensorMissing(path: string, name: string): AppError {
  return new AppError(
    'tensor_missing',
    `The model ${path} lacks the tensor ${name}. It is incomplete, or its configuration belongs to another model: copy or download it again.`,
    { path, name },
  );
}

/** @param index of the first such element */
export function notFinite(path: string, name: string, index: number): AppError {
  return modelUnreadable(path, `element ${index} of the tensor ${name} is infinite or not a number`);
}

/** @param cause what the file system, or whoever filled the file, threw */
export function fileNotWritten(path: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'file_not_written',
    `${path} could not be written (${reason}). What stood there before is unchanged; check the free space and the rights of its folder.`,
    { path, reason },
  );
}

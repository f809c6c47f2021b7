import { AppError } from '../../../src/protocol/errors.ts';

// One function per error that a user is told about an adapter or a written model.

/** There is nothing at the path, or no adapter in the folder. */
export function adapterMissing(path: string): AppError {
  const message =
    `There is no adapter at ${path}. Name a PEFT folder (with adapter_config.json and adapter_model.safetensors) ` +
    'or a GGUF file.';
  return new AppError('adapter_missing', message, { path });
}

/** @param what it is or asks for, as a sentence without its end, e.g. "it uses DoRA" */
export function adapterUnsupported(path: string, what: string): AppError {
  const message =
    `The adapter ${path} cannot be used: ${what}. Only plain LoRA of the linear layers (q, k, v, o, gate, up, down) ` +
    'with one rank is known here. Train or save it in that form.';
  return new AppError('adapter_unsupported', message, { path, what });
}

/** @param what it is not as it should be in, as a sentence without its end */
export function adapterDamaged(path: string, what: string): AppError {
  const message = `The adapter ${path} is damaged: ${what}. Copy or export it again.`;
  return new AppError('adapter_damaged', message, { path, what });
}

/** @param what does not fit, as a sentence without its end */
export function adapterMismatch(path: string, what: string): AppError {
  const message = `The adapter ${path} is for another base model: ${what}. Name the base that it was trained on.`;
  return new AppError('adapter_mismatch', message, { path, what });
}

/** @param where which part of the adapter, e.g. "layer 3, q_proj" */
export function adapterNotFinite(where: string): AppError {
  const message =
    `The adapter has numbers that are not finite (${where}), so it is good for nothing. It came of a training that ` +
    'diverged: take an earlier checkpoint, or train again with a lower rate.';
  return new AppError('adapter_not_finite', message, { where });
}

/** @param type of the file that was to be written */
export function outOfRange(tensor: string, type: string): AppError {
  const message =
    `${tensor} has values beyond what ${type} can hold, so nothing was written. ` +
    (type === 'F16' ? 'Choose Q8_0, or keep base and adapter apart.' : 'Keep base and adapter apart.');
  return new AppError('export_out_of_range', message, { tensor, type });
}

/** The adapter itself, in the float16 of GGUF adapters. */
export function adapterOutOfRange(tensor: string): AppError {
  const message =
    `${tensor} has values beyond what F16 can hold, so that there is no GGUF adapter. Such numbers come of a training that ` +
    'diverged: take an earlier checkpoint, or train again with a lower rate.';
  return new AppError('adapter_out_of_range', message, { tensor });
}

/** @param what the model has that a GGUF file does not say, as a sentence without its end */
export function exportUnsupported(what: string): AppError {
  return new AppError('export_unsupported', `The model cannot be written as a merged GGUF file: ${what}.`, { what });
}

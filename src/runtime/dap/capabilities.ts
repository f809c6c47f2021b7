import { EXCEPTION_FILTERS } from './exceptions.ts';

/** What `initialize` answers. */
export const CAPABILITIES = {
  supportsConfigurationDoneRequest: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsBreakpointLocationsRequest: true,
  supportsDataBreakpoints: true,
  supportsEvaluateForHovers: true,
  supportsClipboardContext: true,
  supportsCompletionsRequest: true,
  completionTriggerCharacters: ['.', ' ', '('],
  supportsStepBack: true,
  supportsStepInTargetsRequest: true,
  supportsGotoTargetsRequest: true,
  supportsRestartRequest: true,
  supportsTerminateRequest: true,
  supportsCancelRequest: true,
  supportsExceptionInfoRequest: true,
  supportsExceptionFilterOptions: true,
  exceptionBreakpointFilters: EXCEPTION_FILTERS,
} as const;

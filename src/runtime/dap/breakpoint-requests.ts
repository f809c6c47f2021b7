import {
  BreakpointLocationsArguments,
  DataBreakpointInfoArguments,
  SetBreakpointsArguments,
  SetDataBreakpointsArguments,
  SetExceptionBreakpointsArguments,
} from '../../protocol/dap.ts';
import { rangeOf } from './breakpoints.ts';
import { type Handler, handler, type SessionCore } from './core.ts';

/** Lines that one request for places of breakpoints may ask for. */
const MOST_LINES = 1_000;

/** The requests that set what stops a session. */
export function breakpointRequests(core: SessionCore): Record<string, Handler> {
  return {
    setBreakpoints: handler('setBreakpoints', SetBreakpointsArguments, ({ source, breakpoints = [] }) => ({
      breakpoints: core.breakpoints.set(core.position.debuggee, source, breakpoints, core.places),
    })),
    breakpointLocations: handler('breakpointLocations', BreakpointLocationsArguments, (args) => {
      const places = core.position.debuggee.texts.find(args.source)?.places;
      const first = core.places.line(args.line);
      const last = Math.min(args.endLine === undefined ? first : core.places.line(args.endLine), first + MOST_LINES);
      const breakpoints = [];
      for (let line = first; places !== undefined && line <= last; line++)
        breakpoints.push(...places.onLine(line).map((clause) => rangeOf(clause, core.places)));
      return { breakpoints };
    }),
    setExceptionBreakpoints: handler(
      'setExceptionBreakpoints',
      SetExceptionBreakpointsArguments,
      ({ filters, filterOptions = [] }) => core.exceptions.set(filters, filterOptions),
    ),
    dataBreakpointInfo: handler('dataBreakpointInfo', DataBreakpointInfoArguments, async (args, signal) => {
      const { variablesReference, name } = args;
      const none = {
        dataId: null,
        description: 'Only rows of tables with a key can be followed, before they are grouped.',
      };
      if (variablesReference === undefined) return none;
      const followable = await core.handles.get(variablesReference).follow?.(name, signal);
      if (followable === undefined || followable === null) return none;
      const { dataId, description } = followable;
      return { dataId, description: `${description} disappears`, accessTypes: ['write'], canPersist: false };
    }),
    setDataBreakpoints: handler('setDataBreakpoints', SetDataBreakpointsArguments, ({ breakpoints }) => ({
      breakpoints: core.followed.set(breakpoints),
    })),
  };
}

/** Runs the terminal interface for a session's diff until the reviewer leaves. */
import { render } from 'ink';
import type { ApiClient } from '../client/api-client.ts';
import type { Marks } from '../client/marks.ts';
import { plainText } from '../client/values.ts';
import type { NumberedChange } from '../model/change.ts';
import { stepCountsOf } from '../model/change.ts';
import { JsonText, stringifyJson } from '../model/json.ts';
import type { Dispatch, Wiring } from './app.tsx';
import { App } from './app.tsx';
import { SidesCache } from './cells.ts';
import type { CustomKeys, Effect } from './keys.ts';
import { createKeymap } from './keys.ts';
import { Loader } from './loader.ts';
import { selectedColumn, shownColumns } from './state/columns.ts';
import type { State } from './state/state.ts';
import { currentTable } from './state/state.ts';
import { StatementFactsReader } from './statement-facts-reader.ts';
import type { TerminalOutput } from './terminal/painter.ts';
import { inkStream, Painter, sizeOf } from './terminal/painter.ts';
import type { Surroundings, TerminalInput } from './terminal/terminal.ts';
import { takeTerminal } from './terminal/terminal.ts';
import type { ThemeName } from './terminal/theme.ts';
import { createTheme } from './terminal/theme.ts';

export interface DiffOptions {
  readonly api: ApiClient;
  /** The session's id. */
  readonly session: string;
  /** The approver, for the audit. */
  readonly approver: string | undefined;
  readonly colours: boolean;
  readonly theme?: ThemeName;
  /** The reviewer's configured keys. */
  readonly keys?: CustomKeys;
  readonly stdin: TerminalInput;
  readonly stdout: TerminalOutput;
  /** The changes that the reviewer marked before. */
  readonly marks?: Marks;
  /** Node's `process`, for its signals. */
  readonly process: Surroundings;
  /** Closes the interface from outside. */
  readonly signal: AbortSignal;
  /** Receives every frame, for measurements. */
  readonly onFrame?: (frame: string) => void;
}

/** The result of the interface. */
export interface Left {
  /** The number of changes that approval replays. */
  readonly changes: number;
  /** The changes that the reviewer marked. */
  readonly marks: Marks;
}

/**
 * Runs the interface on a terminal. Rejects when the interface fails; it shows errors of the daemon itself. The terminal is always
 * restored.
 */
export async function openDiff(options: DiffOptions): Promise<Left> {
  const { stdin, stdout, colours, session: id, api, approver } = options;
  const painter = new Painter(stdout, options.onFrame);
  const terminal = takeTerminal(stdin, stdout, options.process, () => painter.repaint());
  const leaving = new AbortController();
  const signal = AbortSignal.any([leaving.signal, options.signal]);
  const facts = new StatementFactsReader();
  const interfaceState = new Follower();
  const wiring: Wiring = {
    size: sizeOf(stdout),
    theme: createTheme(colours, options.theme),
    keymap: createKeymap(options.keys),
    marks: options.marks ?? new Map(),
    connect: (dispatch) => {
      const loader = new Loader({ api, id, approver, facts, dispatch, signal });
      interfaceState.begin(loader, dispatch, { leave, suspend: terminal.suspend, stdout });
    },
    paint: (lines) => painter.paint(lines),
    follow: (state) => interfaceState.follow(state),
  };
  const resized = () => {
    painter.forget();
    interfaceState.dispatch({ type: 'resized', size: sizeOf(stdout) });
  };
  const ink = render(<App wiring={wiring} />, {
    stdout: inkStream(stdout),
    stdin: stdin as NodeJS.ReadStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
    isScreenReaderEnabled: false,
  });
  function leave() {
    ink.unmount();
  }
  signal.addEventListener('abort', leave, { once: true });
  stdout.on('resize', resized);
  try {
    if (options.signal.aborted) leave();
    await ink.waitUntilExit();
    return { changes: interfaceState.changes, marks: interfaceState.marks ?? wiring.marks };
  } finally {
    stdout.off('resize', resized);
    leaving.abort();
    terminal.release();
    facts.close();
  }
}

interface Outside {
  readonly stdout: TerminalOutput;
  leave(): void;
  suspend(): void;
}

/** Follows the state: passes it to the loader, and carries out its effects. */
class Follower {
  #loader: Loader | null = null;
  #dispatch: Dispatch | null = null;
  #outside: Outside | null = null;
  #state: State | null = null;
  readonly #sides = new SidesCache();

  begin(loader: Loader, dispatch: Dispatch, outside: Outside): void {
    this.#loader = loader;
    this.#dispatch = dispatch;
    this.#outside = outside;
    loader.start();
  }

  /** The number of changes that approval replays. */
  get changes(): number {
    const counts = stepCountsOf(this.#state?.outline?.tables ?? []);
    return counts.inserts + counts.updates + counts.deletes + counts.furtherChanges;
  }

  get marks(): Marks | undefined {
    return this.#state?.reviewed;
  }

  dispatch: Dispatch = (action) => this.#dispatch?.(action);

  follow(state: State): void {
    const effect = state.effect !== this.#state?.effect ? state.effect : null;
    this.#state = state;
    if (effect !== null) this.#perform(effect.name, state);
    this.#loader?.follow(state);
  }

  #perform(effect: Effect, state: State): void {
    const change = state.changes.get(state.row);
    const effects: Record<Effect, () => void> = {
      quit: () => this.#outside?.leave(),
      suspend: () => this.#outside?.suspend(),
      refresh: () => this.#loader?.hurry(),
      copyRow: () => change && this.#copy(rowText(change)),
      copyCell: () => change && this.#copy(this.#cellText(state, change)),
    };
    effects[effect]();
  }

  /** Copies a text with the terminal's clipboard sequence, OSC 52, which works through ssh. */
  #copy(text: string): void {
    const encoded = Buffer.from(text).toString('base64');
    this.#outside?.stdout.write(`\x1b]52;c;${encoded}\x07`);
    this.#dispatch?.({ type: 'notice', text: `Copied ${text.length} characters.`, alarm: false });
  }

  #cellText(state: State, change: NumberedChange): string {
    const shown = shownColumns(state, this.#sides);
    const { before, after } = this.#sides.of(change, currentTable(state)?.columns ?? []);
    const value = (after.size > 0 ? after : before).get(shown[selectedColumn(state, shown)] ?? '');
    return value === undefined ? '' : (plainText(value) ?? '');
  }
}

function rowText({ rowId, before, after, table, type, texts }: NumberedChange): string {
  const nothing = new JsonText('null');
  return stringifyJson({
    table,
    type,
    row_id: rowId,
    before: before ?? nothing,
    after: after ?? nothing,
    texts,
  });
}

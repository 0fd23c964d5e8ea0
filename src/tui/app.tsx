/**
 * The terminal interface: a reducer, a hook for keys, views, a theme. Its lines are already laid out, so they go straight to the painter.
 * Ink's layout would split them into single characters, at ten times the cost of making them.
 */
import { useInput } from 'ink';
import { useEffect, useLayoutEffect, useMemo, useReducer } from 'react';
import type { Marks } from '../client/marks.ts';
import { SidesCache } from './cells.ts';
import type { Keymap } from './keys.ts';
import type { Action } from './state/reducer.ts';
import { reduce } from './state/reducer.ts';
import type { Size, State } from './state/state.ts';
import { initialState } from './state/state.ts';
import { keyNames } from './terminal/key-names.ts';
import type { Theme } from './terminal/theme.ts';
import { frameView } from './views/frame.ts';

export type Dispatch = (action: Action) => void;

/** The connections of the interface to its surroundings. */
export interface Wiring {
  readonly size: Size;
  readonly theme: Theme;
  readonly keymap: Keymap;
  /** The changes that the reviewer marked before. */
  readonly marks: Marks;
  /** Receives the function that sends actions to the interface, once. */
  connect(dispatch: Dispatch): void;
  /** Writes the lines of a frame to the terminal. */
  paint(lines: readonly string[]): void;
  /** Receives every state, fetches what it lacks, and carries out what it requests. */
  follow(state: State): void;
}

/** Draws the whole screen. */
export function App({ wiring }: { readonly wiring: Wiring }) {
  const [state, dispatch] = useReducer(
    reduce,
    initialState(wiring.size, wiring.keymap, wiring.marks),
  );
  const sides = useMemo(() => new SidesCache(), []);
  useEffect(() => {
    wiring.connect(dispatch);
    return undefined;
  }, [wiring]);
  useEffect(() => {
    wiring.follow(state);
    return undefined;
  }, [wiring, state]);
  useInput((input, key) => {
    for (const name of keyNames(input, key)) dispatch({ type: 'key', name });
  });
  const lines = useMemo(() => frameView(state, sides).map(wiring.theme), [state, sides, wiring]);
  useLayoutEffect(() => {
    wiring.paint(lines);
    return undefined;
  }, [wiring, lines]);
  return null;
}

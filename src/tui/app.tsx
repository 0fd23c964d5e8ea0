/** The terminal interface: a reducer, a hook for keys, views, a theme. */
import { Box, Text, useInput } from 'ink';
import { useEffect, useMemo, useReducer } from 'react';
import { SidesCache } from './cells.ts';
import { keyNames } from './keys.ts';
import type { Line } from './line.ts';
import { fitLines } from './line.ts';
import type { Action } from './reducer.ts';
import { reduce } from './reducer.ts';
import type { Size, State } from './state.ts';
import { initialState } from './state.ts';
import type { Theme } from './theme.ts';
import { bodyView } from './views/body.ts';
import { keysLine, noticeLine } from './views/footing.ts';
import { headingLine, tabsLine } from './views/heading.ts';

export type Dispatch = (action: Action) => void;

/** What the interface is connected to. */
export interface Wiring {
  readonly size: Size;
  readonly theme: Theme;
  /** Is given the way to tell the interface something, once. */
  connect(dispatch: Dispatch): void;
  /** Is told every state: fetches what that lacks, and does what it asks for. */
  follow(state: State): void;
}

/** The whole screen. */
export function App({ wiring }: { readonly wiring: Wiring }) {
  const [state, dispatch] = useReducer(reduce, initialState(wiring.size));
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
  const { columns } = state.size;
  return (
    <Box flexDirection="column">
      <Lines lines={[headingLine(state), tabsLine(state)]} columns={columns} theme={wiring.theme} />
      <Lines lines={bodyView(state, sides)} columns={columns} theme={wiring.theme} />
      <Lines lines={[noticeLine(state), keysLine(state)]} columns={columns} theme={wiring.theme} />
    </Box>
  );
}

interface LinesProps {
  readonly lines: readonly Line[];
  readonly columns: number;
  readonly theme: Theme;
}

/** Lines of the screen, each exactly as wide as it. */
function Lines({ lines, columns, theme }: LinesProps) {
  const text = fitLines(lines, columns, lines.length).map(theme).join('\n');
  return <Text wrap="truncate">{text}</Text>;
}

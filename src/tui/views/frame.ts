/** The whole screen. */
import type { SidesCache } from '../cells.ts';
import type { State } from '../state/state.ts';
import type { Line } from '../terminal/line.ts';
import { fitLines } from '../terminal/line.ts';
import { bodyView } from './body.ts';
import { keysLine } from './footing.ts';
import { headingLine, tabsLine } from './heading.ts';
import { noticeLines } from './notice.ts';

/** Draws all lines, each exactly as wide as the screen. A notice of several lines covers the end of the body. */
export function frameView(state: State, sides: SidesCache): Line[] {
  const body = bodyView(state, sides);
  const notice = noticeLines(state, Math.ceil(body.length / 2));
  const lines = [
    headingLine(state),
    tabsLine(state),
    ...body.slice(0, body.length - notice.length + 1),
    ...notice,
    keysLine(state),
  ];
  return fitLines(lines, state.size.columns, lines.length);
}

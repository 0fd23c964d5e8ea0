/** The body of the screen: the panes side by side, or a dialog. */
import type { SidesCache } from '../cells.ts';
import { bodyHeight, divide } from '../screen.ts';
import { visibleRows } from '../state/lists.ts';
import type { State } from '../state/state.ts';
import type { Line } from '../terminal/line.ts';
import { beside, fitLines, span } from '../terminal/line.ts';
import { briefView } from './brief.ts';
import { commentsView } from './comments.ts';
import { conflictsView } from './conflicts.ts';
import { detailView } from './detail.ts';
import { confirmView, editView, helpView } from './dialog.ts';
import { effectsView } from './effects.ts';
import { logView } from './log.ts';
import { rowsView } from './rows.ts';
import { tablesView } from './tables.ts';

/** Draws the body with exactly as many lines as it has room for. */
export function bodyView(state: State, sides: SidesCache): Line[] {
  const { columns } = state.size;
  const height = bodyHeight(state.size);
  if (state.help !== null) return fitLines(helpView(state, height), columns, height);
  const { prompt } = state;
  if (prompt?.kind === 'confirm')
    return fitLines(confirmView(state, prompt.decision, prompt.plan, prompt.ties), columns, height);
  if (prompt?.kind === 'edit') return fitLines(editView(prompt, columns), columns, height);
  if (prompt?.kind === 'time') return fitLines(confirmView(state, 'schedule'), columns, height);
  if (prompt?.kind === 'reason')
    return fitLines(confirmView(state, prompt.decision), columns, height);
  const brief = briefView(state);
  return fitLines([...brief, ...panesView(state, sides)], columns, height);
}

function panesView(state: State, sides: SidesCache): Line[] {
  const { tables, main, height } = divide(state);
  const left = fitLines(tablesView(state, height), tables, height);
  const right = fitLines(mainView(state, sides, main), main, height);
  if (main === 0) return left;
  return tables === 0 ? right : beside(left, right);
}

function mainView(state: State, sides: SidesCache, width: number): Line[] {
  const { height, list } = divide(state);
  switch (state.pane) {
    case 'log':
      return logView(state, width, height);
    case 'conflicts':
      return conflictsView(state, width, height);
    case 'comments':
      return commentsView(state, width, height);
    case 'effects':
      return effectsView(state, width, height);
    case 'detail':
      return [
        ...listAbove(state, sides, width, list),
        ...detailView(state, sides, width, height - list),
      ];
    case 'tables':
    case 'rows':
      return rowsView(state, sides, width, height);
  }
}

/** Draws a few changes around the one whose detail is shown. */
function listAbove(state: State, sides: SidesCache, width: number, height: number): Line[] {
  if (height === 0) return [];
  const near = { ...state, top: visibleRows(state).top };
  return [
    ...fitLines(rowsView(near, sides, width, height - 1), width, height - 1),
    [span('─'.repeat(width), 'faint')],
  ];
}

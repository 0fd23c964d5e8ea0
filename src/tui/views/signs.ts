/** The sign and style of each operation, so that it is recognizable without colours. */
import type { Operation } from '../../model/change.ts';
import type { Style } from '../terminal/line.ts';

export const signs: Readonly<Record<Operation, { readonly sign: string; readonly style: Style }>> =
  {
    INSERT: { sign: '+', style: 'added' },
    UPDATE: { sign: '~', style: 'changed' },
    DELETE: { sign: '-', style: 'removed' },
  };

/** Questions about rows that others depend on, or are tied to: the service's refusal names these, and they go only if that is agreed to. */
/// <reference lib="dom" />
import { readRow } from '../client/edits.ts';
import { rowPlace } from '../client/place-words.ts';
import type { RowReport } from '../model/edits.ts';
import { askFor } from './dialogs.ts';
import type { Child } from './dom.ts';
import { fill, h } from './dom.ts';
import { Refusal } from './http.ts';

interface Question {
  readonly title: string;
  readonly body: readonly Child[];
  readonly act: string;
  readonly isGrave?: boolean;
  /** The short names that the service uses. */
  readonly named: string;
  /** The label of the agreement. */
  readonly include?: string;
  isReady?(): boolean;
  /** Sends the request. @param withTies whether the named rows are included */
  send(withTies: boolean): Promise<void>;
}

/** Asks, and asks again if the service names further rows. */
export function askWithTies({
  named,
  include = 'Include these, too',
  body,
  send,
  ...rest
}: Question): void {
  const agreed = h('input', { type: 'checkbox', name: 'dependents' });
  const more = h('div');
  askFor({
    ...rest,
    body: [...body, more],
    do: async () => {
      try {
        // guard: the page asks before it includes rows that are tied to a part
        await send(agreed.checked);
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'has_dependents') throw error;
        fill(
          more,
          h('p', {}, named),
          namesOf(error),
          h('label', { class: 'check' }, agreed, include),
        );
        throw new Refusal(
          error.status,
          error.fields,
          'Agree to include what is named above, or cancel.',
        );
      }
    },
  });
}

const mostNamed = 20;

function namesOf({ fields }: Refusal): HTMLElement {
  const rows: readonly RowReport[] = fields.list('dependents').map(readRow);
  const more = fields.number('dependents_count') - Math.min(rows.length, mostNamed);
  const names = [
    ...rows.slice(0, mostNamed).map(rowPlace),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
  return h('ul', {}, ...names.map((name) => h('li', {}, name)));
}

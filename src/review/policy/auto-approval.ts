/** Whether the policy approves a session without anybody. Pure, like evaluate.ts: the brief and the rehearsal are not known here. */
import type { Rule } from './document.ts';
import type { Policy, SessionFacts, TableFacts } from './evaluate.ts';
import { covers } from './evaluate.ts';
import { demandsOf } from './votes.ts';

type Auto = NonNullable<Rule['auto_approve']>;

/** The verdict of the rules with `auto_approve` about a session. */
export interface AutoApproval {
  /** Why the policy does not approve it; null if it does, provided that the brief and the rehearsal allow it. */
  readonly hindrance: string | null;
  /** The flags of the brief that all rules allow. */
  readonly flags: readonly string[];
  /** Whether it has to be rehearsed. */
  readonly rehearsed: boolean;
}

/**
 * Returns what the rules that hold for a session say about its approval by the policy; null if none of them has `auto_approve`.
 * @param rules those that hold for the session
 */
export function autoApproval(
  policy: Policy,
  rules: readonly Rule[],
  facts: SessionFacts,
): AutoApproval | null {
  const autos = rules.flatMap((rule) => rule.auto_approve ?? []);
  const [first] = autos;
  if (first === undefined) return null;
  const allowed = first.flags ?? [];
  return {
    hindrance: hindranceOf(policy, rules, facts),
    flags: allowed.filter((flag) => autos.every(({ flags = [] }) => flags.includes(flag))),
    rehearsed: autos.some(({ rehearsed }) => rehearsed === true),
  };
}

function hindranceOf(policy: Policy, rules: readonly Rule[], facts: SessionFacts): string | null {
  // guard: where people have to agree the policy does not
  if (demandsOf(rules).length > 0 || rules.some((rule) => rule.four_eyes)) return 'people agree';
  // guard: a revert or a part of a session is approved by people
  if (facts.isDerived) return 'it reverts an approval, or was split';
  // guard: the policy approves nothing where nothing is counted
  if (facts.tables.length === 0) return 'nothing is staged that could be counted';
  const total = facts.tables.reduce((sum, { rows }) => sum + rows, 0);
  for (const table of facts.tables) {
    const autos = rules.filter((rule) => rule.auto_approve && covers(policy, rule, table));
    // guard: each table is one whose changes the policy approves
    if (autos.length === 0) return `no rule approves changes of ${table.name}`;
    for (const { name, auto_approve: auto } of autos) {
      const fault = auto === undefined ? null : faultOf(auto, table, total);
      if (fault !== null) return `the rule ${JSON.stringify(name)} approves ${fault}`;
    }
  }
  return null;
}

function faultOf(auto: Auto, { changes, name }: TableFacts, total: number): string | null {
  const kinds = ['insert', 'update', 'delete'] as const;
  const other = kinds.find((kind) => changes[kind] > 0 && !auto.operations.includes(kind));
  // guard: the policy approves its operations only
  if (other !== undefined) return `no ${other} in ${name}`;
  // guard: the policy approves so many rows in all tables together
  if (total > auto.max_rows) return `at most ${auto.max_rows} rows: the session changes ${total}`;
  return null;
}

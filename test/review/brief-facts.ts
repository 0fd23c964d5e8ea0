/** Compares the facts of a brief about a column with what happened to its values. */
import { assert } from '../helpers/suite.ts';

interface Fact {
  readonly kind: string;
  readonly value?: unknown;
  readonly values?: number;
  readonly pairs?: readonly {
    readonly before: unknown;
    readonly after: unknown;
    readonly rows: number;
  }[];
  readonly of?: number;
  readonly up?: number;
  readonly down?: number;
  readonly factor?: number;
  readonly addend?: number;
  readonly explained?: number;
  readonly others?: number;
  readonly low?: number;
  readonly high?: number;
  readonly unit?: 'length' | 'time';
  readonly bins?: readonly (readonly [number, number])[];
}

/** Compares the ends of a range of measured values, and the sum of its parts. */
function demandMeasures(fact: Fact, values: readonly (readonly [number, number])[], at: string) {
  const total = (side: 0 | 1) => fact.bins?.reduce((sum, bin) => sum + bin[side], 0);
  assert.equal([total(0), total(1)], [values.length, values.length], at);
  const all = values.flat();
  assert.equal([fact.low, fact.high], [Math.min(...all), Math.max(...all)], at);
}

const textsOf = (pairs: Pairs) =>
  pairs.filter((pair) => pair.every((side) => typeof side === 'string')) as [string, string][];

const demandLengths = (fact: Fact, pairs: Pairs, at: string) =>
  demandMeasures(
    fact,
    textsOf(pairs).map(([old, now]) => [[...old].length, [...now].length]),
    at,
  );

const secondsOf = (text: string) => Date.parse(text) / 1000;

const demandTimes = (fact: Fact, pairs: Pairs, at: string) =>
  demandMeasures(
    fact,
    textsOf(pairs).map(([old, now]) => [secondsOf(old), secondsOf(now)]),
    at,
  );

type Pairs = readonly (readonly [unknown, unknown])[];

export function demandFact(fact: Fact, pairs: Pairs, at: string): void {
  const numbers = pairs.filter((pair) => pair.every((side) => typeof side === 'number')) as [
    number,
    number,
  ][];
  const { kind } = fact;
  if (fact.unit === 'length') demandLengths(fact, pairs, at);
  else if (fact.unit === 'time') demandTimes(fact, pairs, at);
  else if (fact.bins) {
    const total = (side: 0 | 1) => fact.bins?.reduce((sum, bin) => sum + bin[side], 0);
    assert.equal([total(0), total(1)], [numbers.length, numbers.length], at);
    const all = numbers.flat();
    assert.equal([fact.low, fact.high], [Math.min(...all), Math.max(...all)], at);
  }
  if (kind === 'constant')
    assert.ok(
      pairs.every(([, now]) => now === fact.value),
      at,
    );
  if (kind === 'changed') assert.is(fact.values, new Set(pairs.map(([, now]) => now)).size, at);
  if (kind === 'values')
    for (const { before, after, rows } of fact.pairs ?? [])
      assert.is(rows, pairs.filter(([old, now]) => old === before && now === after).length, at);
  if (kind === 'range') {
    assert.equal(
      [fact.of, fact.up, fact.down],
      [
        numbers.length,
        numbers.filter(([old, now]) => now > old).length,
        numbers.filter(([old, now]) => now < old).length,
      ],
      at,
    );
  }
  if (kind !== 'rule') return;
  const { factor = 0, addend = 0 } = fact;
  const follows = numbers.filter(
    ([old, now]) =>
      Math.abs(now - (old * factor + addend)) <=
      (factor === 0 || factor === 1 ? 1e-9 : 0.005 + 1e-6),
  );
  const places = numbers.some(([, now]) => !Number.isInteger(now)) ? 2 : 0;
  if (places === 2) assert.is(fact.explained, follows.length, at);
  assert.is(fact.of, numbers.length, at);
  assert.is((fact.others ?? 0) + (fact.explained ?? 0), numbers.length, at);
}

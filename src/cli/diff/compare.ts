/** Compares a column's value with what a condition says, without rounding numbers. */
import type { JsonText } from '../../model/json.ts';

export type Operator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export interface Literal {
  readonly kind: 'text' | 'number';
  readonly text: string;
}

const holds: Readonly<Record<Operator, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** Whether a value stands in the relation to a literal; null for NULL, and for a number beside what is none. */
export function compare(value: JsonText, operator: Operator, literal: Literal): boolean | null {
  const text = textOf(value);
  if (text === null) return null;
  const bothNumbers = decimal.test(text) && decimal.test(literal.text);
  if (bothNumbers && (literal.kind === 'number' || !value.text.startsWith('"'))) {
    return holds[operator](compareDecimals(text, literal.text));
  }
  if (literal.kind === 'number') return null;
  return holds[operator](text < literal.text ? -1 : Number(text > literal.text));
}

/** A value as text: that of a string, else its JSON; null for NULL. */
export function textOf(value: JsonText): string | null {
  if (value.text === 'null') return null;
  return value.text.startsWith('"') ? (JSON.parse(value.text) as string) : value.text;
}

const decimal = /^[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,4})?$/;

function compareDecimals(left: string, right: string): number {
  const [a, b] = [scaled(left), scaled(right)];
  const scale = Math.max(a.scale, b.scale);
  const difference = raised(a, scale) - raised(b, scale);
  return difference < 0n ? -1 : Number(difference > 0n);
}

interface Scaled {
  readonly digits: bigint;
  /** The number is digits / 10^scale. */
  readonly scale: number;
}

function scaled(text: string): Scaled {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return {
    digits: BigInt(`${whole}${fraction}`.replace('+', '')),
    scale: fraction.length - Number(exponent),
  };
}

function raised({ digits, scale }: Scaled, to: number): bigint {
  return digits * 10n ** BigInt(to - scale);
}

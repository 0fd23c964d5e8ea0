/** Compares a column's value with a literal of a condition, without rounding numbers. */
import type { Value } from '../../client/values.ts';
import { plainText } from '../../client/values.ts';

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

/** Evaluates a comparison; null for NULL, and for a number literal and a value that is not a number. */
export function compare(value: Value, operator: Operator, literal: Literal): boolean | null {
  const text = plainText(value);
  if (text === null) return null;
  const bothNumbers = decimal.test(text) && decimal.test(literal.text);
  if (bothNumbers && (literal.kind === 'number' || !value.json.text.startsWith('"'))) {
    return holds[operator](compareDecimals(text, literal.text));
  }
  if (literal.kind === 'number') return null;
  return holds[operator](text < literal.text ? -1 : Number(text > literal.text));
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

/** The key of a row, as it is typed. */
import { JsonText } from '../../model/json.ts';

/** A key as JSON: a number or an object as it is, anything else as a text. */
export function keyOf(key: string): JsonText {
  return new JsonText(/^(?:-?\d+|\{.*\}|".*")$/s.test(key) ? key : JSON.stringify(key));
}

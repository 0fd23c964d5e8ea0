/** Parses the key of a row, as it is typed. */
import { JsonText } from '../../model/json.ts';

/** Converts a key to JSON: a number, an object or a quoted string as it is, anything else as a string. */
export function keyOf(key: string): JsonText {
  return new JsonText(/^(?:-?\d+|\{.*\}|".*")$/s.test(key) ? key : JSON.stringify(key));
}

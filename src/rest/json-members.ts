/** The members of an object in a request, each as its text, so that a member can be passed on verbatim. */
import { StageError } from '../errors.ts';
import { JsonText } from '../model/json.ts';
import { membersIn } from '../model/json-members.ts';

/** No legitimate request needs deeper nesting. PostgreSQL's own limit depends on its stack. */
const maxDepth = 100;

/** A string, or a bracket. */
const tokens = /"(?:[^"\\]+|\\.)*"|[{}[\]]/g;

/**
 * Returns the texts of an object's members, by name.
 * @param text valid JSON (accepted by JSON.parse) whose value is an object
 * @throws StageError `invalid_request` if it is nested too deeply or has two members of the same name
 */
export function membersOfRequest(text: string): ReadonlyMap<string, JsonText> {
  demandFlat(text);
  const members = new Map<string, JsonText>();
  for (const [name, value] of membersIn(new JsonText(text))) {
    // guard: a member is given once
    if (members.has(name)) throw givenTwice(name);
    members.set(name, value);
  }
  return members;
}

function demandFlat(text: string): void {
  let depth = 0;
  for (const [token] of text.matchAll(tokens)) {
    depth += depthChange(token);
    // guard: a body is nested up to a limit
    if (depth > maxDepth) throw tooDeep();
  }
}

function givenTwice(name: string): StageError {
  return new StageError(
    'invalid_request',
    `the body names ${JSON.stringify(name)} more than once`,
    {
      hint: 'Send each member once.',
    },
  );
}

function depthChange(token: string): number {
  if (token === '{' || token === '[') return 1;
  return token === '}' || token === ']' ? -1 : 0;
}

function tooDeep(): StageError {
  return new StageError('invalid_request', `the body is nested deeper than ${maxDepth} levels`, {
    hint: 'Send a flatter object.',
  });
}

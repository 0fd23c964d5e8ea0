/** Splits the text of a JSON object into the texts of its members, so that a member can be passed on verbatim. */
import { StageError } from '../errors.ts';
import { JsonText } from '../model/json.ts';

/** No legitimate request needs deeper nesting. PostgreSQL's own limit depends on its stack. */
const maxDepth = 100;

/** A string, or one structural character. Everything between is white space, numbers and literals. */
const tokens = /"(?:[^"\\]+|\\.)*"|[{}[\],:]/g;

/**
 * Returns the texts of an object's members, by name.
 * @param text valid JSON (accepted by JSON.parse) whose value is an object
 * @throws StageError `invalid_request` if it is nested too deeply or has two members of the same name
 */
export function jsonMembers(text: string): ReadonlyMap<string, JsonText> {
  const members = new Map<string, JsonText>();
  let depth = 0;
  let name: string | null = null;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (depth === 1 && name === null && token.startsWith('"')) {
      name = memberName(token, members);
    } else if (depth === 1 && token === ':') {
      start = index + 1;
    } else if (depth === 1 && name !== null && (token === ',' || token === '}')) {
      members.set(name, new JsonText(text.slice(start, index).trim()));
      name = null;
    }
    depth += depthChange(token);
    // guard: a body is nested up to a limit
    if (depth > maxDepth) throw tooDeep();
  }
  return members;
}

/**
 * Returns the texts of an array's elements, in order.
 * @param text valid JSON whose value is an array
 */
export function jsonElements(text: string): readonly JsonText[] {
  const elements: JsonText[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (depth === 0) start = index + 1;
    else if (depth === 1 && (token === ',' || token === ']')) {
      const element = text.slice(start, index).trim();
      if (element !== '') elements.push(new JsonText(element));
      start = index + 1;
    }
    depth += depthChange(token);
  }
  return elements;
}

function memberName(token: string, members: ReadonlyMap<string, unknown>): string {
  const name = JSON.parse(token) as string;
  // guard: a member is given once
  if (!members.has(name)) return name;
  throw new StageError('invalid_request', `the body names ${JSON.stringify(name)} more than once`, {
    hint: 'Send each member once.',
  });
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

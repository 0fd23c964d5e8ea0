/**
 * The types of the parameters of a write, as the client's own text tells them. What is sent in its place may have lost
 * parameters together with a clause. The original is parsed where nothing is staged, and never run; what PostgreSQL
 * finds wrong in it the client is told in PostgreSQL's own words.
 */
import type { Replacement } from '../sql/splice.ts';
import type { ControlAction, Statement } from '../sql/verdict.ts';
import type { ErrorFields } from '../wire/error-fields.ts';
import { closeMessage, describeMessage } from '../wire/frontend-messages.ts';
import type { Conversation } from './conversation.ts';
import { mapErrors } from './error-mapping.ts';
import type { ErrorHandler } from './expectation.ts';
import { hiddenClose } from './expectation.ts';
import { fence } from './pace.ts';
import type { TypedText } from './parameter-types.ts';
import type { SentText } from './position-map.ts';
import { UpstreamError } from './refusals.ts';
import { ownPrefix } from './reserved-names.ts';
import { textToSend } from './statement-text.ts';

/** A PREPARE in the text that brought it. */
export interface Preparation {
  readonly written: Buffer;
  readonly statement: Statement;
  readonly action: Extract<ControlAction, { type: 'prepare' }>;
}

const original = { kind: 'statement', name: `${ownPrefix}original` } as const;

/**
 * Gives the types for a text that a Parse message brings. Ends an implicit transaction if the server has to be asked.
 * @param text where it stands in the client's text
 * @throws UpstreamError for a text that PostgreSQL refuses
 */
export function originalTypes(
  conversation: Conversation,
  asked: TypedText,
  text: SentText = { written: asked.written, start: 0, sent: asked.written, replacements: [] },
): Promise<readonly number[]> {
  return learn(conversation, asked, text, (onError) =>
    conversation.own.prepare(original.name, { text: text.sent, types: asked.types }, onError),
  );
}

/**
 * The same for an SQL PREPARE, whose parameters may have types by name.
 * @returns the replacement that gives all of them their types
 */
export async function originalTypeList(
  conversation: Conversation,
  { written, statement, action: { typesRange } }: Preparation,
): Promise<Replacement> {
  const renamed = { start: 0, end: typesRange.start, text: `PREPARE ${original.name}` };
  const text = textToSend(written, statement, false, [renamed]);
  const asked = { written: statement.text, types: [] };
  const types = await learn(conversation, asked, text, (onError) => {
    conversation.link.send(closeMessage(original), hiddenClose);
    conversation.own.run({ text: text.sent }, { onError });
  });
  const names = await conversation.names.typeNames(types);
  return { ...typesRange, text: names.length === 0 ? ' ' : ` (${names.join(', ')}) ` };
}

async function learn(
  conversation: Conversation,
  asked: TypedText,
  text: SentText,
  prepare: (onError: ErrorHandler) => void,
): Promise<readonly number[]> {
  const { types, link, names } = conversation;
  const known = types.recall(asked);
  if (known !== null) return known;
  const outcome = { types: asked.types, failure: null as ErrorFields | null };
  const onError = (fields: ErrorFields) => {
    outcome.failure = fields;
    return null;
  };
  prepare(onError);
  link.send(describeMessage(original), {
    asked: 'describe',
    shown: 'nothing',
    onError,
    onParameterTypes: (description) => {
      outcome.types = types.learn(asked, description);
    },
  });
  link.send(closeMessage(original), hiddenClose);
  await fence(conversation);
  const { failure } = outcome;
  if (failure === null) return outcome.types;
  throw new UpstreamError(failure, mapErrors(text, names.productionSchema)(failure) as Buffer);
}

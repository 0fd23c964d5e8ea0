/** A tool as data: what an agent may ask for, and what it is told. The adapter to the protocol is made from these. */
import type { z } from 'zod';
import type { ApiClient } from '../client/api-client.ts';
import type { JsonObject } from '../model/json.ts';
import type { StatementResult } from './bounded-query.ts';
import type { Statement } from './statement.ts';

/** What a tool works with. Whatever it reaches, it reaches with the agent's own token and database login. */
export interface Bench {
  readonly api: ApiClient;
  /** Runs one statement in a session, through the proxy, on a connection of its own. */
  run(statement: Statement): Promise<StatementResult>;
  /** Project of sessions that name none. */
  readonly project: string | undefined;
  /** The same for as long as the process lives, and of no other one. */
  readonly nonce: string;
}

/** One call of a tool. */
export interface Call extends Bench {
  /** The session it is about; empty for a tool that takes none. */
  readonly sessionId: string;
  /** Aborted when the caller gives up. */
  readonly signal: AbortSignal;
}

export interface Outcome {
  /** What was done, in our own words: nothing of it comes from the database or from other people. */
  readonly says: string;
  /** What to do next, in our own words. */
  readonly next: string;
  /** Ids, states, counts and digests. */
  readonly facts?: JsonObject;
  /** What comes from the database or from other people. */
  readonly data?: JsonObject;
  /** Whether something was left out. */
  readonly truncated?: boolean;
}

/** What clients are told of a tool's effects; hints, and no protection. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** False: it touches one database, and nothing else. */
  readonly openWorldHint: false;
}

export interface Tool<Input extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** Whether it is about a session that exists. */
  readonly takesSession: boolean;
  readonly annotations: Annotations;
  work(input: z.output<z.ZodObject<Input>>, call: Call): Promise<Outcome>;
}

/** Declares a tool; its work is typed by its own input. */
export function defineTool<Input extends z.ZodRawShape>(tool: Tool<Input>): Tool {
  // the input that was checked against the shape is handed to this very work
  return tool as unknown as Tool;
}

export const reading: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export const changing: Annotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};

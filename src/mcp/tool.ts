/** A tool as data: its arguments, and its outcome. The adapter to the protocol is built from these. */
import type { z } from 'zod';
import type { ApiClient } from '../client/api-client.ts';
import type { JsonObject } from '../model/json.ts';
import type { StatementResult } from './bounded-query.ts';
import type { Statement } from './statement.ts';

/** The context of all tools. Everything in it uses the agent's token and database login. */
export interface ToolContext {
  readonly api: ApiClient;
  /** Runs one statement in a session, through the proxy, on a separate connection. */
  run(statement: Statement): Promise<StatementResult>;
  /** The project of sessions that name none. */
  readonly project: string | undefined;
  /** Returns the address of a session on the review page, which logs nobody in; null if there is no page. */
  reviewUrl(sessionId: string): string | null;
  /** Differs by process and token; constant while the process runs. */
  readonly nonce: string;
}

/** One call of a tool. */
export interface Call extends ToolContext {
  /** The session of the call; empty for a tool that takes none. */
  readonly sessionId: string;
  /** Aborted when the caller cancels. */
  readonly signal: AbortSignal;
  /** Reports to the client that the call goes on; null if it does not accept notifications of progress. */
  readonly progress: ((message: string) => Promise<void>) | null;
}

export interface Outcome {
  /** The effect, in text of the service: it contains nothing from the database or from other people. */
  readonly summary: string;
  /** The next step, in text of the service. */
  readonly next: string;
  /** Ids, states, counts and digests. */
  readonly facts?: JsonObject;
  /** Data from the database or from other people. */
  readonly data?: JsonObject;
  /** Whether something was left out. */
  readonly truncated?: boolean;
}

/** The hints for clients about a tool's effects. They are no protection. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** False, as a tool accesses only one database. */
  readonly openWorldHint: false;
}

export interface Tool<Input extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** Whether the tool needs an existing session. */
  readonly takesSession: boolean;
  /** Names of the operations of the REST interface without which the tool is not offered. */
  readonly operations: readonly string[];
  readonly annotations: Annotations;
  work(input: z.output<z.ZodObject<Input>>, call: Call): Promise<Outcome>;
}

/** Declares a tool. The type of its work's input is derived from the schema. */
export function defineTool<Input extends z.ZodRawShape>(tool: Tool<Input>): Tool {
  // the adapter validates the input by this schema before it calls this work
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

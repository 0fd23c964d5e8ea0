/** A route as data: what it takes, what it gives, what it does. The router and the OpenAPI document are both made from it. */
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Caller, Right } from '../model/access.ts';
import type { JsonObject, JsonText } from '../model/json.ts';
import type { RouteServices } from './services.ts';

export interface RouteRequest<Query, Body, Headers = unknown> {
  /** The path's `:id`; empty where it has none. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  readonly headers: Headers;
  readonly caller: Caller;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** The body's members as they were written. */
  readonly texts: ReadonlyMap<string, JsonText>;
}

export interface Reply {
  /** 200 when left out. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: JsonObject | Readable | PlainText;
}

/** An answer that is not JSON. */
export class PlainText {
  readonly contentType: string;
  readonly text: string;

  constructor(contentType: string, text: string) {
    this.contentType = contentType;
    this.text = text;
  }
}

export interface Route<
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Headers extends z.ZodType = z.ZodType,
> {
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  /** Name of the operation in the OpenAPI document. */
  readonly name: string;
  readonly summary: string;
  /** What the caller's role must allow; null for routes that are open to all. */
  readonly right: Right | null;
  readonly query?: Query;
  /** A strict object: a member that is written wrong would do nothing in silence. */
  readonly body?: Body;
  /** Headers that mean something to this route, by their names in lower case. */
  readonly headers?: Headers;
  /** Answers by HTTP status. A text names a media type that is not JSON. */
  readonly answers: Readonly<Record<number, z.ZodType | string>>;
  readonly errors: readonly ErrorCode[];
  /** Whether the route works only while the upstream database does. */
  readonly needsUpstream: boolean;
  /** Whether the configuration leaves the route to callers who have the right, for some session at least; it does when left out. */
  isOpenTo?(caller: Caller, services: RouteServices): boolean;
  /** Does the work. Raises StageError. */
  handle(
    request: RouteRequest<z.output<Query>, z.output<Body>, z.output<Headers>>,
    services: RouteServices,
  ): Promise<Reply>;
}

/** Declares a route; the handler's query, body and headers are typed by the route's own schemas. */
export function defineRoute<
  Query extends z.ZodType,
  Body extends z.ZodType,
  Headers extends z.ZodType,
>(route: Route<Query, Body, Headers>): Route {
  // the schemas' outputs are handed to this very handler, see mount.ts
  return route as unknown as Route;
}

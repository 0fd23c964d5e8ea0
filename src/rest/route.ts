/** A route as data: its input, output and handler. The router and the OpenAPI document are both generated from it. */
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Caller, Right, Token } from '../model/access.ts';
import type { JsonObject, JsonText } from '../model/json.ts';
import type { RouteServices } from './services.ts';

export interface RouteRequest<Query, Body, Headers = unknown> {
  /** The `:id` of the path; empty if the path has none. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  readonly headers: Headers;
  readonly caller: Caller;
  /** The token that was shown; null if none was demanded, or a browser has logged in. */
  readonly token: Token | null;
  /** Aborted when the client no longer waits for the response. */
  readonly signal: AbortSignal;
  /** The original texts of the body's members. */
  readonly texts: ReadonlyMap<string, JsonText>;
}

export interface Reply {
  /** 200 if absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: JsonObject | Readable | PlainText;
}

/** A response that is not JSON. */
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
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  /** Name of the operation in the OpenAPI document. */
  readonly name: string;
  readonly summary: string;
  /** The right that the caller's role needs; null for routes that are open to all. */
  readonly right: Right | null;
  readonly query?: Query;
  /** A strict object, so that misspelled members are refused. */
  readonly body?: Body;
  /** The headers that this route uses, by their names in lower case. */
  readonly headers?: Headers;
  /** Schemas of the responses by HTTP status. A string is the media type of a response that is not JSON. */
  readonly responses: Readonly<Record<number, z.ZodType | string>>;
  readonly errors: readonly ErrorCode[];
  /** Whether the route requires that the upstream database is ready. */
  readonly needsUpstream: boolean;
  /** Whether the configuration permits the route to a caller who has the right, at least for some sessions. Absent means yes. */
  isOpenTo?(caller: Caller, services: RouteServices): boolean;
  /** Handles a request. @throws StageError */
  handle(
    request: RouteRequest<z.output<Query>, z.output<Body>, z.output<Headers>>,
    services: RouteServices,
  ): Promise<Reply>;
}

/** Declares a route. Its schemas determine the types of the handler's query, body and headers. */
export function defineRoute<
  Query extends z.ZodType,
  Body extends z.ZodType,
  Headers extends z.ZodType,
>(route: Route<Query, Body, Headers>): Route {
  // mount.ts passes the outputs of the schemas to this handler
  return route as unknown as Route;
}

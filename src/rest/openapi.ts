/** Generates the OpenAPI 3.1 document from the routes and their schemas. */
import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { StageError } from '../errors.ts';
import { rolesWith } from '../model/access.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Route } from './route.ts';
import { defineRoute } from './route.ts';
import { failure } from './schemas/outputs.ts';

type JsonSchema = { readonly [key: string]: JsonValue };

/** Returns the route that serves the document. The first request builds it, because that takes as long as the rest of the REST start. */
export function openapiRoute(routes: readonly Route[], version: string): Route {
  let document: JsonObject | undefined;
  const itself = defineRoute({
    method: 'get',
    path: '/openapi.json',
    name: 'getOpenapi',
    summary: 'This document.',
    right: 'read',
    responses: { 200: z.record(z.string(), z.unknown()) },
    errors: [],
    needsUpstream: false,
    handle: async () => {
      document ??= describe([...routes, itself], version);
      return { body: document };
    },
  });
  return itself;
}

/** Describes the routes as an OpenAPI document. */
function describe(routes: readonly Route[], version: string): JsonObject {
  const paths: Record<string, Record<string, JsonValue>> = {};
  const components = new Map<string, JsonSchema>();
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationOf(route, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'stage',
      version,
      description: 'Review of writes staged by the PostgreSQL proxy.',
    },
    paths,
    components: {
      schemas: Object.fromEntries(components),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
    security: [{}, { bearer: [] }],
  };
}

function operationOf(route: Route, components: Map<string, JsonSchema>): JsonObject {
  const responses = Object.entries(route.responses).map(([status, schema]) => {
    const content =
      typeof schema === 'string' ? textContent(schema) : jsonContent(schemaOf(schema, components));
    return [
      status,
      { description: Number(status) < 300 ? 'Done.' : 'Not available.', content },
    ] as const;
  });
  const failures = jsonContent(schemaOf(failure, components));
  const refusals = [...errorsByStatus(errorsOf(route))].map(
    ([status, codes]) => [status, { description: codes.join(', '), content: failures }] as const,
  );
  return {
    operationId: route.name,
    summary: route.summary,
    description: describeRoles(route),
    security: route.right === null ? [{}] : undefined,
    parameters: [
      ...pathParameters(route),
      ...parametersOf(route.query, 'query'),
      ...parametersOf(route.headers, 'header'),
    ],
    requestBody: route.body && {
      required: false,
      content: jsonContent(schemaOf(route.body, components)),
    },
    responses: { ...Object.fromEntries(refusals), ...Object.fromEntries(responses) },
  };
}

function describeRoles({ right }: Route): string {
  if (right === null) return 'Takes no token.';
  return `Takes a token of the role ${rolesWith(right).join(' or ')}, where tokens are configured.`;
}

/** Returns the errors that a route declares, and those that its definition implies. */
function errorsOf(route: Route): ErrorCode[] {
  const taking: ErrorCode[] = ['payload_too_large', 'unsupported_media_type'];
  return [
    ...(route.query || route.body ? (['invalid_request'] as const) : []),
    ...(route.body ? taking : []),
    'unauthorized',
    'forbidden',
    ...route.errors,
    ...(route.needsUpstream ? (['upstream_unavailable', 'service_outdated'] as const) : []),
    'internal',
  ];
}

function errorsByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = new StageError(code, '');
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

function pathParameters(route: Route): JsonObject[] {
  return [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function parametersOf(parameters: z.ZodType | undefined, place: 'query' | 'header'): JsonObject[] {
  if (!parameters) return [];
  const schema = z.toJSONSchema(parameters, { io: 'input' }) as z.core.JSONSchema.ObjectSchema;
  return Object.entries(schema.properties ?? {}).map(([name, parameter]) => ({
    name,
    in: place,
    required: schema.required?.includes(name) ?? false,
    schema: parameter as JsonSchema,
  }));
}

/**
 * Converts a zod schema to JSON Schema. Named parts are moved to the components and referenced.
 * With `input`, objects stay open: clients must expect members that later versions add.
 */
function schemaOf(schema: z.ZodType, components: Map<string, JsonSchema>): JsonSchema {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input' }));
  const made = JSON.parse(text.replaceAll('#/$defs/', '#/components/schemas/')) as JsonSchema;
  const { $schema: _, $defs = {}, ...rest } = made;
  for (const [name, part] of Object.entries($defs as JsonObject))
    components.set(name, part as JsonSchema);
  return rest;
}

function jsonContent(schema: JsonSchema): JsonObject {
  return { 'application/json': { schema } };
}

function textContent(type: string): JsonObject {
  return { [type]: { schema: { type: 'string' } } };
}

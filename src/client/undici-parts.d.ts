/** The parts of undici that the client loads. undici declares types for the whole package only. */
declare module 'undici/lib/dispatcher/agent.js' {
  // biome-ignore lint/style/noDefaultExport: what a CommonJS module exports is its default
  export { Agent as default } from 'undici';
}

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';

  /** The method `request` of a dispatcher. */
  // biome-ignore lint/style/noDefaultExport: as above
  export default function request(
    this: Dispatcher,
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData>;
}

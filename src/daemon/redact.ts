/** Removes the service account's password from texts that are shown. */

import { hostUrls } from '../model/upstream-hosts.ts';

/** Creates a function that removes a URL and its password from a text. */
export function redactor(url: string): (text: string) => string {
  const secrets = [url, ...hostUrls(url), ...passwords(url)].filter((secret) => secret !== '');
  return (text) =>
    secrets.reduce((shown, secret) => shown.replaceAll(patternOf(secret), '***'), text);
}

/** Matches a password of letters only as a whole word: `postgres` is a part of many paths. */
function patternOf(secret: string): RegExp {
  const literal = secret.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(/^[a-z]+$/i.test(secret) ? `(?<![a-z])${literal}(?![a-z])` : literal, 'g');
}

/** Returns the password as it is in the URL, and as it is sent. */
function passwords(url: string): string[] {
  const [one = ''] = hostUrls(url);
  if (!URL.canParse(one)) return [];
  const { password, searchParams } = new URL(one);
  return [password, decodeURIComponent(password), searchParams.get('password') ?? ''];
}

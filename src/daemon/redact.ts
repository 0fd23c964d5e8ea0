/** Keeps the service account's password out of whatever is shown. */

import { hostUrls } from '../model/upstream-hosts.ts';

/** Makes a function that takes the URL and the password in it out of a text. */
export function redactor(url: string): (text: string) => string {
  const secrets = [url, ...hostUrls(url), ...passwords(url)].filter((secret) => secret !== '');
  return (text) =>
    secrets.reduce((shown, secret) => shown.replaceAll(patternOf(secret), '***'), text);
}

/** A password that is a word is not looked for inside of others: `postgres` is a part of many paths. */
function patternOf(secret: string): RegExp {
  const literal = secret.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(/^[a-z]+$/i.test(secret) ? `(?<![a-z])${literal}(?![a-z])` : literal, 'g');
}

/** As it stands in the URL, and as it is sent. */
function passwords(url: string): string[] {
  const [one = ''] = hostUrls(url);
  if (!URL.canParse(one)) return [];
  const { password, searchParams } = new URL(one);
  return [password, decodeURIComponent(password), searchParams.get('password') ?? ''];
}

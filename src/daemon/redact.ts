/** Keeps the service account's password out of whatever is shown. */

/** Makes a function that takes the URL and the password in it out of a text. */
export function redactor(url: string): (text: string) => string {
  const secrets = [url, ...passwords(url)].filter((secret) => secret !== '');
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}

/** As it stands in the URL, and as it is sent. */
function passwords(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { password, searchParams } = new URL(url);
  return [password, decodeURIComponent(password), searchParams.get('password') ?? ''];
}

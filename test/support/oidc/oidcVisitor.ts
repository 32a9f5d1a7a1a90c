/** A person at an OpenID provider, with the cookies that the provider has set: a browser without pages. */
export interface OidcVisitor {
  /**
   * Follows the provider from the address that svc redirects to, and signs in when asked.
   * @param login the subject; null: cancels
   * @returns the address at svc that the provider redirects to
   */
  signIn(authorizationUrl: string, login: string | null): Promise<URL>;
}

const MAX_STEPS = 10;

export function oidcVisitor(): OidcVisitor {
  const cookies = new Map<string, string>();
  return {
    async signIn(authorizationUrl, login) {
      const { origin } = new URL(authorizationUrl);
      let url = new URL(authorizationUrl);
      let form: string | undefined;
      for (let step = 0; step < MAX_STEPS; step += 1) {
        const response = await fetch(url, {
          redirect: 'manual',
          headers: {
            cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
            ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
          },
          ...(form !== undefined && { method: 'POST', body: form }),
        });
        for (const cookie of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
          if (value === '') cookies.delete(name);
          else cookies.set(name, value);
        }
        const text = await response.text();
        const location = response.headers.get('location');
        if (location !== null) {
          form = undefined;
          url = new URL(location, url);
          if (url.origin !== origin) return url;
        } else if (response.status === 200 && form === undefined) {
          form = login === null ? 'cancel=' : `login=${encodeURIComponent(login)}`;
        } else {
          throw new Error(`the provider responded with ${response.status}: ${text}`);
        }
      }
      throw new Error('the provider redirects without end');
    },
  };
}

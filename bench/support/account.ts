/** What a benchmark needs to be somebody. */
export const password = 'correct horse battery'

/** The cookie of a session. */
export async function signIn(base: string, email: string): Promise<string> {
  const answer = await fetch(`${base}/api/session`, { method: 'POST', body: new URLSearchParams({ email, password }) })
  return answer.headers.get('set-cookie')?.split(';')[0] ?? ''
}

export async function makeKey(base: string, cookie: string, ...scopes: string[]): Promise<string> {
  const body = new URLSearchParams([['name', 'bench'], ...scopes.map((scope) => ['scopes', scope])])
  const answer = await fetch(`${base}/api/keys`, { method: 'POST', headers: { cookie }, body })
  return ((await answer.json()) as { data: { key: string } }).data.key
}

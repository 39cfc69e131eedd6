/** Accounts for benchmarks. */
export const password = 'correct horse battery'

/** Returns the session cookie. */
export async function signInToBench(baseUrl: string, email: string): Promise<string> {
  const response = await fetch(`${baseUrl}/api/session`, {
    method: 'POST',
    body: new URLSearchParams({ email, password }),
  })
  return response.headers.get('set-cookie')?.split(';')[0] ?? ''
}

export async function createBenchKey(baseUrl: string, cookie: string, ...scopes: string[]): Promise<string> {
  const body = new URLSearchParams([['name', 'bench'], ...scopes.map((scope) => ['scopes', scope])])
  const response = await fetch(`${baseUrl}/api/keys`, { method: 'POST', headers: { cookie }, body })
  return ((await response.json()) as { data: { key: string } }).data.key
}

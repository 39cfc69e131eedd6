/** Calls the server's API with a session. */
export class Api {
  readonly #baseUrl: string
  readonly cookie: string

  constructor(baseUrl: string, cookie: string) {
    this.#baseUrl = baseUrl
    this.cookie = cookie
  }

  static async signIn(baseUrl: string, account: { email: string; password: string }): Promise<Api> {
    const response = await fetch(`${baseUrl}/api/session`, { method: 'POST', body: new URLSearchParams(account) })
    const cookie = /belfry_session=([^;]*)/.exec(response.headers.get('set-cookie') ?? '')?.[1]
    if (cookie === undefined) throw new Error(`not signed in: ${response.status} ${await response.text()}`)
    return new Api(baseUrl, cookie)
  }

  /** Returns the id of the created resource. */
  async post(path: string, fields: object): Promise<number> {
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method: 'POST',
      headers: { cookie: `belfry_session=${this.cookie}`, 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return JSON.parse(text).data.id
  }
}

/** The server's API, as somebody who is signed in. */
export class Api {
  readonly #base: string
  readonly cookie: string

  constructor(base: string, cookie: string) {
    this.#base = base
    this.cookie = cookie
  }

  static async signIn(base: string, account: { email: string; password: string }): Promise<Api> {
    const answer = await fetch(`${base}/api/session`, { method: 'POST', body: new URLSearchParams(account) })
    const cookie = /belfry_session=([^;]*)/.exec(answer.headers.get('set-cookie') ?? '')?.[1]
    if (cookie === undefined) throw new Error(`not signed in: ${answer.status} ${await answer.text()}`)
    return new Api(base, cookie)
  }

  /** Answers with the id of what was made. */
  async post(path: string, fields: object): Promise<number> {
    const answer = await fetch(`${this.#base}${path}`, {
      method: 'POST',
      headers: { cookie: `belfry_session=${this.cookie}`, 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
    return JSON.parse(text).data.id
  }
}

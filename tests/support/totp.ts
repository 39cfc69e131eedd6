/** An authenticator app: creates codes, and sets itself up for an account. */
import { TOTP } from 'otpauth'
import type { Client } from './client.ts'
import type { TestServer, TestUser } from './server.ts'

export class TotpApp {
  readonly #totp: TOTP
  readonly #clock: TestServer['clock']

  constructor(secret: string, clock: TestServer['clock']) {
    this.#totp = new TOTP({ secret })
    this.#clock = clock
  }

  /** The code that the app shows now, or that it showed or will show some steps of 30 seconds away from now. */
  code(steps = 0): string {
    return this.#totp.generate({ timestamp: this.#clock.now().getTime() + steps * 30_000 })
  }

  /** Six digits that are no code around this time. */
  wrongCode(): string {
    const codes = [-3, -2, -1, 0, 1, 2, 3].map((steps) => this.code(steps))
    return ['123456', '234567', '345678', '456789', '567890', '678901', '789012', '890123'].find(
      (code) => !codes.includes(code),
    ) as string
  }
}

/** Afterwards, the current code has been used. */
export async function setUpTotp(
  { clock }: Pick<TestServer, 'clock'>,
  { session, password }: { session: Client; password: string } & Partial<TestUser>,
): Promise<{ app: TotpApp; recoveryCodes: string[] }> {
  const begun = await session.post('/api/account/totp', { current_password: password })
  if (begun.status !== 200) throw new Error(begun.text)
  const app = new TotpApp(begun.body.data.secret, clock)
  const confirmed = await session.put('/api/account/totp', { code: app.code() })
  if (confirmed.status !== 200) throw new Error(confirmed.text)
  return { app, recoveryCodes: confirmed.body.data.recovery_codes }
}

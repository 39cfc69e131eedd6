/** Codes of authenticator apps (TOTP, RFC 6238): six digits that change every 30 seconds. */
import type { TOTP } from 'otpauth'

const PERIOD_SECONDS = 30

/** Codes of the previous and the next 30 seconds are accepted, too, because the clock of a phone can be wrong. */
const ACCEPTED_STEPS = 1

export interface Totp {
  /** 20 random bytes in Base32. */
  createSecret(): string
  /** Authenticator apps read this URI from a QR code. */
  formatUri(secret: string, email: string): string
  /** Returns the time step to which the code belongs, or undefined if the code is wrong. */
  findStep(secret: string, code: string, now: Date): number | undefined
}

/** Loads otpauth, which few requests need. */
export async function loadTotp(): Promise<Totp> {
  const { Secret, TOTP } = await import('otpauth')
  const create = (secret: string, email = ''): TOTP =>
    new TOTP({ issuer: 'Belfry', label: email, secret, algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS })
  return {
    createSecret: () => new Secret({ size: 20 }).base32,
    formatUri: (secret, email) => create(secret, email).toString(),
    findStep(secret, code, now) {
      const timestamp = now.getTime()
      // The comparison takes constant time.
      const delta = create(secret).validate({ token: code, timestamp, window: ACCEPTED_STEPS })
      return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta
    },
  }
}

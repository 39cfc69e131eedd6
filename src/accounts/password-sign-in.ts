import type { Config } from '../config/config.ts'
import { Problem } from '../lib/problem.ts'

/** Call it wherever somebody signs in, or gets a way to sign in, without single sign-on. */
export function requirePasswordSignIn({ singleSignOn }: Pick<Config, 'singleSignOn'>): void {
  if (singleSignOn?.isOnly !== true) return
  throw new Problem('forbidden', `This server allows only single sign-on. Sign in with "${singleSignOn.label}".`)
}

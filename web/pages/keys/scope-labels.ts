/** What each scope lets a program do, in words. */
import type { Scope } from '../../../src/shared/scopes.ts'

export const scopeWords: Record<Scope, string> = {
  'websites:read': 'See websites and their statistics',
  'websites:write': 'Add, change and delete websites',
  'monitors:read': 'See monitors, checks and incidents',
  'monitors:write': 'Add, change, check and delete monitors',
  'providers:read': 'See notification providers',
  'providers:write': 'Add, change, test and delete notification providers',
}

export const scopeNames = Object.keys(scopeWords) as Scope[]

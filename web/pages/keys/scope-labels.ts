import type { Scope } from '../../../src/shared/scopes.ts'

/** In the order in which the form lists them. */
export const scopeLabels: Record<Scope, string> = {
  'websites:read': 'View websites and statistics',
  'websites:write': 'Add, edit and delete websites',
  'monitors:read': 'View monitors, checks and incidents',
  'monitors:write': 'Add, edit, check and delete monitors',
  'providers:read': 'View notification channels',
  'providers:write': 'Add, edit, test and delete notification channels',
  'status:read': 'View status pages, their posts and subscribers',
  'status:write': 'Add, edit and delete status pages, their posts and subscribers',
}

export const scopeOrder = Object.keys(scopeLabels) as Scope[]

/** What the authorization table expects, and the parts of its routes. */
import type { ProblemCode } from '../../../src/lib/problem.ts'
import type { Scope } from '../../../src/shared/scopes.ts'
import type { RouteRow } from './table.ts'

export interface Expectation {
  status: number
  code?: ProblemCode
  missingScopes: Scope[]
  isAllowed: boolean
}

export const methodsOf = ({ route }: RouteRow) => (route.split(' ')[0] ?? '').split('|')
export const urlOf = ({ route }: RouteRow) => route.slice(route.indexOf(' ') + 1)

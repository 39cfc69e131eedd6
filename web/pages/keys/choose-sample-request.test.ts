import { expect, it } from 'vitest'
import { type Scope, scopes } from '../../../src/shared/scopes.ts'
import { chooseSampleRequest } from './choose-sample-request.ts'

const chooseRequest = (...allowedScopes: Scope[]) =>
  chooseSampleRequest(allowedScopes, { url: 'https://b.example', apiKey: 'bf_1' })

it('the sample request calls an endpoint that the scopes of the key allow, preferably one that only reads', () => {
  expect(chooseRequest('providers:read')).toBe("curl -H 'Authorization: Bearer bf_1' https://b.example/api/providers")
  expect(chooseRequest('monitors:write', 'websites:read')).toMatch(/\/api\/v1\/websites$/)
  expect(chooseRequest('websites:write')).toMatch(/\/api\/v1\/websites -d domain=example\.com$/)
  for (const scope of scopes) expect(chooseRequest(scope)).toContain(scope.replace(':', '/').split('/')[0] ?? '')
})

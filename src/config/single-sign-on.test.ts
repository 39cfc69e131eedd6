import { describe, expect, it } from 'vitest'
import { type Environment, readConfig } from './config.ts'
import { withSavedSettings } from './saved-settings.ts'
import { parseIssuerUrl, parseRoleMap, parseScopes } from './single-sign-on.ts'

const client = {
  BELFRY_OIDC_ISSUER: 'https://id.example.com/realms/main',
  BELFRY_OIDC_CLIENT_ID: 'belfry',
  BELFRY_OIDC_CLIENT_SECRET: 'secret',
}

describe('the settings of single sign-on', () => {
  it('have defaults', () => {
    expect(readConfig(client).singleSignOn).toEqual({
      issuer: 'https://id.example.com/realms/main',
      clientId: 'belfry',
      clientSecret: 'secret',
      scopes: 'openid email profile',
      label: 'Single sign-on',
      roleClaim: undefined,
      roleMap: [],
      createsUsers: false,
      isOnly: false,
    })
    expect(readConfig({}).singleSignOn).toBeUndefined()
  })

  it.each<[Environment, RegExp]>([
    [{ BELFRY_OIDC_ISSUER: client.BELFRY_OIDC_ISSUER }, /must be set together \(missing: BELFRY_OIDC_CLIENT_ID/],
    [{ ...client, BELFRY_OIDC_ROLE_CLAIM: 'groups' }, /missing: BELFRY_OIDC_ROLE_MAP/],
    [{ BELFRY_OIDC_CREATE_USERS: 'on' }, /BELFRY_OIDC_CREATE_USERS needs BELFRY_OIDC_ISSUER/],
    [{ BELFRY_AUTH_HEADER: 'Remote-User' }, /BELFRY_AUTH_HEADER needs BELFRY_TRUSTED_PROXIES, because anybody else/],
    [{ BELFRY_AUTH_HEADER_CREATE_USERS: 'on' }, /BELFRY_AUTH_HEADER_CREATE_USERS needs BELFRY_AUTH_HEADER/],
  ])('must be complete: %o', (env, message) => {
    expect(() => readConfig(env)).toThrow(message)
  })

  it('are all listed if several are wrong', () => {
    const wrong = {
      BELFRY_OIDC_ISSUER: 'http://id.example.com',
      BELFRY_OIDC_SCOPES: 'email',
      BELFRY_OIDC_LABEL: '\u200b',
    }
    expect(() => readConfig({ ...client, ...wrong })).toThrow(/3 errors.*ISSUER.*SCOPES.*LABEL/s)
  })

  it('may say that single sign-on is not the only way, without the provider', () => {
    expect(readConfig({}).isSingleSignOnOnly).toBeUndefined()
    expect(readConfig({ BELFRY_OIDC_ONLY: 'off' }).isSingleSignOnOnly).toBe(false)
    expect(readConfig({ ...client, BELFRY_OIDC_ONLY: 'on' }).singleSignOn?.isOnly).toBe(true)
  })

  it('let people in again if the provider of an admin who saved "only" fails', () => {
    const { singleSignOn } = readConfig({ ...client, BELFRY_OIDC_ONLY: 'on' })
    const saved = { ...(singleSignOn && { singleSignOn }) }
    expect(withSavedSettings(readConfig({}), () => saved).singleSignOn?.isOnly).toBe(true)
    expect(withSavedSettings(readConfig({ BELFRY_OIDC_ONLY: 'off' }), () => saved).singleSignOn?.isOnly).toBe(false)
  })

  it('of a proxy have the name of the header in lower case', () => {
    const env = { BELFRY_AUTH_HEADER: 'X-Forwarded-User', BELFRY_TRUSTED_PROXIES: '192.0.2.1' }
    expect(readConfig(env).authHeader).toEqual({ name: 'x-forwarded-user', createsUsers: false })
  })
})

describe('an issuer', () => {
  it.each([
    'https://accounts.google.com',
    'https://id.example.com/application/o/belfry/',
    'http://127.0.0.1:8080/realms/a',
  ])('is kept as it was written: %s', (text) => {
    expect(parseIssuerUrl(text)).toBe(text)
  })

  it.each([
    'id.example.com',
    'http://id.example.com',
    'https://ada:secret@id.example.com',
    'https://id.example.com/?a=1',
    'ftp://id.example.com',
    'https://id.example.com/.well-known/openid-configuration',
  ])('is refused: %s', (text) => {
    expect(() => parseIssuerUrl(text)).toThrow(/^must/)
  })
})

describe('a role map', () => {
  it('has entries for values that can contain every character but a comma', () => {
    expect(parseRoleMap('belfry-admins=1:admin, a=b=12:owner,/staff/eu = 1 : viewer')).toEqual([
      { claimValue: 'belfry-admins', teamId: 1, role: 'admin' },
      { claimValue: 'a=b', teamId: 12, role: 'owner' },
      { claimValue: '/staff/eu', teamId: 1, role: 'viewer' },
    ])
  })

  it.each(['', 'a', 'a=1', '=1:admin', 'a=0:admin', 'a=1:king', 'a=1:guest', 'a=x:admin'])('is refused: %j', (text) => {
    expect(() => parseRoleMap(text)).toThrow()
  })
})

it('scopes can be separated by commas, too, and must contain openid', () => {
  expect(parseScopes('openid,email  groups')).toBe('openid email groups')
  expect(() => parseScopes('email')).toThrow('must contain openid')
})

import { describe, expect, it } from 'vitest'
import {
  decideFirstSignIn,
  isSameAddress,
  listWantedMemberships,
  mergeClaims,
  readEmail,
  readRoleValues,
} from './claims.ts'

const verified = { email: 'ada@example.com', isVerified: true }
const unverified = { email: 'ada@example.com', isVerified: false }
const account = { email: 'Ada@example.com', isEmailConfirmed: true, hasIdentity: false }

it.each([
  [verified, account, 'link', 'link'],
  [verified, { ...account, isEmailConfirmed: false }, 'link by hand', 'no account'],
  [verified, { ...account, email: 'adä@example.com' }, 'link by hand', 'no account'],
  [verified, { ...account, hasIdentity: true }, 'link by hand', 'no account'],
  [unverified, account, 'link by hand', 'no account'],
  [verified, undefined, 'create', 'no account'],
  [unverified, undefined, 'create', 'no account'],
  [undefined, undefined, 'no email', 'no account'],
])('a first sign-in with %o and the account %o: %s, or without new accounts: %s', (claimed, found, open, closed) => {
  expect(decideFirstSignIn(claimed, found, true)).toBe(open)
  expect(decideFirstSignIn(claimed, found, false)).toBe(closed)
})

it.each([
  ['mike@example.com', 'MIKE@Example.com', true],
  ['mike@example.com', 'mi\u212ae@example.com', false],
  ['mike@example.com', 'm\u0130ke@example.com', false],
  ['\u00e4da@example.com', '\u00c4da@example.com', false],
  ['\u00e4da@example.com', '\u00e4da@EXAMPLE.com', true],
])('%s and %s are the same address: %s', (a, b, isSame) => {
  expect(isSameAddress(a, b)).toBe(isSame)
})

it.each([
  [{ email: 'ada@example.com', email_verified: true }, verified],
  [{ email: ' ada@example.com ', email_verified: 'true' }, unverified],
  [{ email: 'ada@example.com' }, unverified],
  [{ email: 'ada@example.com, bob@example.com', email_verified: true }, undefined],
  [{ email: 'ada' }, undefined],
  [{ email: ['ada@example.com'] }, undefined],
  [{ email: `${'a'.repeat(250)}@example.com` }, undefined],
  [{}, undefined],
])('the email in %o is %o', (claims, email) => {
  expect(readEmail(claims)).toEqual(email)
})

it.each([
  [{ groups: ['a', 'b', 1, null] }, 'groups', ['a', 'b']],
  [{ groups: 'a' }, 'groups', ['a']],
  [{ realm_access: { roles: ['a'] } }, 'realm_access.roles', ['a']],
  [{ 'https://example.com/roles': ['a'] }, 'https://example.com/roles', ['a']],
  [{ realm_access: 'x' }, 'realm_access.length', []],
  [{}, 'constructor.name', []],
  [{}, 'groups', []],
])('in %o, the claim %s has the values %o', (claims, name, values) => {
  expect(readRoleValues(claims, name)).toEqual(values)
})

it('an address is never combined with what another place says about it', () => {
  const userInfo = { email: 'other@example.com', email_verified: true, groups: ['a'] }
  expect(mergeClaims({ sub: 'x', email: 'ada@example.com' }, userInfo, undefined)).toMatchObject({
    email: 'ada@example.com',
    email_verified: undefined,
    groups: ['a'],
  })
  expect(mergeClaims({ sub: 'x', email_verified: true }, { email: 'a@example.com' }, undefined)).toMatchObject({
    email: 'a@example.com',
    email_verified: undefined,
  })
})

it.each([
  [{ realm_access: {} }, { realm_access: { roles: ['a'] } }, 'realm_access.roles', ['a']],
  [{ realm_access: { roles: ['a'] } }, { realm_access: { roles: ['b'] } }, 'realm_access.roles', ['a']],
  [{ realm_access: { roles: [] } }, { realm_access: { roles: ['b'] } }, 'realm_access.roles', []],
  [{}, { groups: ['a'] }, 'groups', ['a']],
  [{}, {}, 'groups', []],
])('of the ID token %o and the userinfo %o, the claim %s has the values %o', (idToken, userInfo, name, values) => {
  expect(readRoleValues(mergeClaims(idToken, userInfo, name), name)).toEqual(values)
})

describe('memberships', () => {
  const map = [
    { claimValue: 'staff', teamId: 2, role: 'viewer' as const },
    { claimValue: 'admins', teamId: 2, role: 'admin' as const },
    { claimValue: 'staff', teamId: 1, role: 'editor' as const },
  ]

  it.each([
    [['staff'], ['editor', 'viewer']],
    [
      ['staff', 'admins'],
      ['editor', 'admin'],
    ],
    [['admins'], [null, 'admin']],
    [[], [null, null]],
    [['STAFF'], [null, null]],
  ])('of somebody with %o in the teams 1 and 2: %o', (values, wanted) => {
    expect(listWantedMemberships(map, values)).toEqual([
      { teamId: 1, role: wanted[0] },
      { teamId: 2, role: wanted[1] },
    ])
  })
})

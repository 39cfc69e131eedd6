import { expect, it } from 'vitest'
import { findRefusedHost, formatRefusal } from './refusal-text.ts'

const loopback = { kind: 'a loopback address', needsOwnEntry: false }

it('names the entry that allows an address', () => {
  expect(formatRefusal({ ...loopback, host: '127.0.0.1', isAddress: true })).toBe(
    '127.0.0.1 is a loopback address. Belfry connects to it only if BELFRY_PRIVATE_TARGETS contains 127.0.0.1/32',
  )
})

it.each([
  [{ ...loopback, host: '::1', isAddress: true }, '::1'],
  [{ ...loopback, host: 'nas.example', isAddress: false }, 'nas.example'],
  [{ ...loopback, host: 'a.'.repeat(100), isAddress: false }, undefined],
  // Nobody should allow this address by copying a line.
  [
    { host: '169.254.169.254', isAddress: true, kind: 'the address of a cloud metadata service', needsOwnEntry: true },
    undefined,
  ],
])('the host of %o is found in the sentence', (refusal, host) => {
  expect(findRefusedHost(formatRefusal(refusal))).toBe(host)
})

it('no host is found in another text', () => {
  expect(findRefusedHost('connection refused')).toBeUndefined()
})

import { expect, it } from 'vitest'
import { NO_PRIVATE_TARGETS, parsePrivateTargets } from '../outgoing/private-targets.ts'
import { extendPrivateTargets } from './allow-address.ts'

it.each([
  ['', ['127.0.0.1'], '127.0.0.1/32'],
  ['', ['127.0.0.1', '::1', '127.0.0.1'], '127.0.0.1/32,::1/128'],
  ['10.0.0.0/8', ['192.168.0.7'], '10.0.0.0/8,192.168.0.7/32'],
  ['10.0.0.0/8', ['10.1.2.3'], undefined],
  ['', ['1.1.1.1', '10.1.2.3'], '10.1.2.3/32'],
  ['', ['169.254.169.254'], undefined],
  ['', [], undefined],
])('with %j, the addresses %j need %j', (current, addresses, expected) => {
  const targets = current === '' ? NO_PRIVATE_TARGETS : parsePrivateTargets(current)
  expect(extendPrivateTargets(targets, addresses)).toBe(expected)
})

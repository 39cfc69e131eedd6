import { expect, it } from 'vitest'
import { normalizeHost } from './network-address.ts'

it.each([
  ['Stats.Example.COM.', 'stats.example.com'],
  ['stats.example.com.:8443', 'stats.example.com'],
  ['stats.example.com:', 'stats.example.com'],
  [' Status.MÜLLER.example ', 'status.xn--mller-kva.example'],
  ['[::1]:3000', '[::1]'],
  ['127.0.0.1:3000', '127.0.0.1'],
  ['', ''],
])('%j is normalized to the host %j', (text, host) => {
  expect(normalizeHost(text)).toBe(host)
})

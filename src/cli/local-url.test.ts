import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { packageFolder } from '../lib/package-folder.ts'
import { toLocalUrl } from './local-url.ts'

it.each([
  ['http://127.0.0.1:3000', 'http://localhost:3000'],
  ['http://0.0.0.0:3000', 'http://localhost:3000'],
  ['http://[::]:3000', 'http://localhost:3000'],
  // On some systems, localhost is only the IPv4 address.
  ['http://[::1]:3000', 'http://[::1]:3000'],
  ['http://127.0.0.11:3000', 'http://127.0.0.11:3000'],
])('the server at %s prints %s', (address, url) => {
  expect(toLocalUrl(address)).toBe(url)
})

it('the documentation uses the host that the server prints', () => {
  const files = ['README.md', ...globSync('docs/*.md', { cwd: packageFolder })]
  // Reverse proxies connect to the address on which the server listens.
  const otherHosts = files
    .filter((file) => file !== 'docs/proxies.md')
    .flatMap((file) => readFileSync(join(packageFolder, file), 'utf8').match(/https?:\/\/[\w.[\]]+:3000/g) ?? [])
    .filter((url) => url !== toLocalUrl('http://127.0.0.1:3000'))
  expect(otherHosts).toEqual([])
})
